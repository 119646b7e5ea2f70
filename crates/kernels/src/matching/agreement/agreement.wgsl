// The weight of vectors that agree. The contract is in mod.rs. Needs line.wgsl, nan.wgsl.

override COMPONENTS: u32 = 2u;

struct Block {
    count: u32,
    // The square of the distance.
    most: f32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> first_x: array<f32>;
@group(0) @binding(2) var<storage, read> first_y: array<f32>;
@group(0) @binding(3) var<storage, read> first_z: array<f32>;
@group(0) @binding(4) var<storage, read> second_x: array<f32>;
@group(0) @binding(5) var<storage, read> second_y: array<f32>;
@group(0) @binding(6) var<storage, read> second_z: array<f32>;
@group(0) @binding(7) var<storage, read> weight: array<f32>;
@group(0) @binding(8) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn agreement(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    let x = first_x[i] - second_x[i];
    let y = first_y[i] - second_y[i];
    var distance2 = x * x;
    distance2 = distance2 + y * y;
    if (COMPONENTS == 3u) {
        let z = first_z[i] - second_z[i];
        distance2 = distance2 + z * z;
    }
    out[i] = select(0.0, weight[i], !is_nan(distance2) && distance2 < block.most);
}
