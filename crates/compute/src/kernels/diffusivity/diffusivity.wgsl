// The relative smoothness weight of each voxel: the contract is mod.rs's.

override COMPONENTS: u32 = 3u;
override ROBUST: u32 = 1u;
override EDGES: u32 = 0u;

struct Block {
    size: vec4<u32>,
    // ½ / (s ε)² per axis: a squared difference belongs half to the voxel on either side.
    share: vec4<f32>,
    // 1 / (12 s) per axis; κ.
    slope: vec4<f32>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> base_x: array<f32>;
@group(0) @binding(2) var<storage, read> base_y: array<f32>;
@group(0) @binding(3) var<storage, read> base_z: array<f32>;
@group(0) @binding(4) var<storage, read> increment_x: array<f32>;
@group(0) @binding(5) var<storage, read> increment_y: array<f32>;
@group(0) @binding(6) var<storage, read> increment_z: array<f32>;
@group(0) @binding(7) var<storage, read> image: array<f32>;
@group(0) @binding(8) var<storage, read_write> out: array<f32>;

fn total(i: u32) -> vec3<f32> {
    var d = vec3<f32>(base_x[i] + increment_x[i], base_y[i] + increment_y[i], 0.0);
    if (COMPONENTS == 3u) {
        d.z = base_z[i] + increment_z[i];
    }
    return d;
}

// The squared differences to both neighbours along an axis; beyond the border there is none.
fn squares(here: vec3<f32>, i: u32, at: u32, count: u32, stride: u32) -> f32 {
    let before = here - total(select(i, i - stride, at > 0u));
    let after = here - total(select(i, i + stride, at + 1u < count));
    return dot(before, before) + dot(after, after);
}

fn derivative(i: u32, at: u32, count: u32, stride: u32) -> f32 {
    let before = select(i, i - stride, at > 0u);
    let after = select(i, i + stride, at + 1u < count);
    let far_before = select(before, before - stride, at > 1u);
    let far_after = select(after, after + stride, at + 2u < count);
    return image[far_before] - image[far_after] + 8.0 * (image[after] - image[before]);
}

@compute @workgroup_size(64, 4)
fn diffusivity(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    var psi = 1.0;
    if (ROBUST == 1u) {
        let here = total(i);
        var sum = block.share.x * squares(here, i, id.x, size.x, 1u);
        sum = sum + block.share.y * squares(here, i, id.y, size.y, size.x);
        if (COMPONENTS == 3u) {
            sum = sum + block.share.z * squares(here, i, id.z, size.z, size.x * size.y);
        }
        psi = 1.0 / sqrt(1.0 + sum);
    }
    if (EDGES == 1u) {
        var slope = vec3<f32>(derivative(i, id.x, size.x, 1u), derivative(i, id.y, size.y, size.x), 0.0);
        if (COMPONENTS == 3u) {
            slope.z = derivative(i, id.z, size.z, size.x * size.y);
        }
        slope = slope * block.slope.xyz;
        psi = psi * exp(-block.slope.w * sqrt(dot(slope, slope)));
    }
    out[i] = psi;
}
