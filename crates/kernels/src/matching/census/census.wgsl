// The census of every voxel. The contract is in mod.rs.

override NEIGHBOURS: u32 = 24u;

// What lies beyond the border of a picture.
const BEYOND: u32 = 0xff5aa5a5u;

// The position one step further along an axis, or the border.
fn along(at: u32, step: u32, count: u32) -> u32 {
    return u32(clamp(i32(at) + i32(step & 255u) - 8, 0, i32(count) - 1));
}

@compute @workgroup_size(32, 4)
fn census(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    let held = size.xy + vec2<u32>(2u * block.margin);
    if (id.x >= held.x || id.y >= held.y) {
        return;
    }
    let place = size.w + (id.z * held.y + id.y) * held.x + id.x;
    // Positions before the image wrap around to large numbers.
    let at = vec3<u32>(id.xy - vec2<u32>(block.margin), id.z);
    if (at.x >= size.x || at.y >= size.y) {
        codes[place] = BEYOND;
        return;
    }
    let i = (at.z * size.y + at.y) * size.x + at.x;
    let least = image[i] + block.threshold;
    var code = 0u;
    for (var k = 0u; k < NEIGHBOURS; k = k + 1u) {
        let step = block.steps[k / 4u][k % 4u];
        let x = along(at.x, step, size.x);
        let y = along(at.y, step >> 8u, size.y);
        let z = along(at.z, step >> 16u, size.z);
        let is_brighter = image[(z * size.y + y) * size.x + x] > least;
        code = code | (select(0u, 1u, is_brighter) << k);
    }
    codes[place] = code;
}
