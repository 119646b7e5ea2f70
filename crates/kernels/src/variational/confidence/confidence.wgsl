// The confidence of each displacement vector. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;

struct Block {
    // Number of packs.
    count: u32,
    determinacy: f32,
    // Factor of the trace: determinacy over the number of components.
    share: f32,
    per_mismatch2: f32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read_write> out: array<Pack>;
// Tensor entries in order: 11, 12, 22, tt in 2-D; 11, 12, 13, 22, 23, 33, tt in 3-D.
@group(0) @binding(2) var<storage, read> j_0: array<Pack>;
@group(0) @binding(3) var<storage, read> j_1: array<Pack>;
@group(0) @binding(4) var<storage, read> j_2: array<Pack>;
@group(0) @binding(5) var<storage, read> j_3: array<Pack>;
@group(0) @binding(6) var<storage, read> j_4: array<Pack>;
@group(0) @binding(7) var<storage, read> j_5: array<Pack>;
@group(0) @binding(8) var<storage, read> j_6: array<Pack>;

@compute @workgroup_size(256)
fn confidence(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    let a = Pack(block.determinacy);
    var trace = Pack(0.0);
    var tt = Pack(0.0);
    if (COMPONENTS == 2u) {
        let p = j_0[i] + a;
        let q = j_1[i];
        let r = j_2[i] + a;
        trace = (p + r) / (p * r - q * q);
        tt = j_3[i];
    } else {
        let p = j_0[i] + a;
        let q = j_1[i];
        let r = j_2[i];
        let s = j_3[i] + a;
        let t = j_4[i];
        let u = j_5[i] + a;
        let det = p * (s * u - t * t) + q * (r * t - q * u) + r * (q * t - r * s);
        trace = (s * u - t * t + p * u - r * r + p * s - q * q) / det;
        tt = j_6[i];
    }
    let determinacy = clamp(Pack(1.0) - block.share * trace, Pack(0.0), Pack(1.0));
    out[i] = determinacy / (Pack(1.0) + tt * block.per_mismatch2);
}
