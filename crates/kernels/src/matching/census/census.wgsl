// The census of every voxel. The contract is in mod.rs.

override NEIGHBOURS: u32 = 24u;

struct Block {
    // Voxels along x, y, z, and where the image's codes begin (w).
    size: vec4<u32>,
    // Steps to the neighbours, plus eight, a byte an axis.
    steps: array<vec4<u32>, 8>,
    threshold: f32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> image: array<f32>;
@group(0) @binding(2) var<storage, read_write> codes: array<u32>;

// The position one step further along an axis, or the border.
fn along(at: u32, step: u32, count: u32) -> u32 {
    return u32(clamp(i32(at) + i32(step & 255u) - 8, 0, i32(count) - 1));
}

@compute @workgroup_size(32, 4)
fn census(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    let least = image[i] + block.threshold;
    var code = 0u;
    for (var k = 0u; k < NEIGHBOURS; k = k + 1u) {
        let step = block.steps[k / 4u][k % 4u];
        let x = along(id.x, step, size.x);
        let y = along(id.y, step >> 8u, size.y);
        let z = along(id.z, step >> 16u, size.z);
        let is_brighter = image[(z * size.y + y) * size.x + x] > least;
        code = code | (select(0u, 1u, is_brighter) << k);
    }
    codes[size.w + i] = code;
}
