// One of two samples, by what agrees around. The contract is in mod.rs. Needs line.wgsl.

struct Block {
    count: u32,
    share: f32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> agreeing: array<f32>;
@group(0) @binding(2) var<storage, read> all_weights: array<f32>;
@group(0) @binding(3) var<storage, read> by: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn replacement(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    if (all_weights[i] > 0.0 && agreeing[i] >= block.share * all_weights[i]) {
        out[i] = by[i];
    }
}
