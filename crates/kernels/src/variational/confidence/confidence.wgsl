// How far a vector can be trusted: the contract is mod.rs's.

override COMPONENTS: u32 = 3u;

struct Block {
    // Packs.
    count: u32,
    contrast: f32,
    per_half2: f32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read_write> out: array<Pack>;
// The tensor's diagonal.
@group(0) @binding(2) var<storage, read> j_xx: array<Pack>;
@group(0) @binding(3) var<storage, read> j_yy: array<Pack>;
@group(0) @binding(4) var<storage, read> j_zz: array<Pack>;

@compute @workgroup_size(256)
fn confidence(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    var trace = j_xx[i] + j_yy[i];
    if (COMPONENTS == 3u) {
        trace = trace + j_zz[i];
    }
    out[i] = trace / (trace + Pack(block.contrast)) / (Pack(1.0) + out[i] * block.per_half2);
}
