// The disparity of the least cost. The contract is in mod.rs.

fn cost(pixel: u32, k: u32) -> u32 {
    let word = sums[(pixel * block.size.z + k) / 2u];
    return (word >> (16u * (k & 1u))) & 0xffffu;
}

@compute @workgroup_size(32, 4)
fn least_cost(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let pixels = size.x * size.y;
    let pixel = id.y * size.x + id.x;
    var least = 0xffffu;
    var best = 0u;
    for (var k = 0u; k < size.z; k = k + 1u) {
        let c = cost(pixel, k);
        if (c < least) {
            least = c;
            best = k;
        }
    }
    var second = 0xffffu;
    for (var k = 0u; k < size.z; k = k + 1u) {
        if (k + 1u < best || k > best + 1u) {
            second = min(second, cost(pixel, k));
        }
    }
    var between = 0.0;
    if (best > 0u && best + 1u < size.z) {
        let low = f32(cost(pixel, best - 1u));
        let high = f32(cost(pixel, best + 1u));
        let curvature = low + high - 2.0 * f32(least);
        if (curvature > 0.0) {
            between = 0.5 * (low - high) / curvature;
        }
    }
    out[pixel] = base[pixel] + f32(best);
    out[pixels + pixel] = between;
    out[2u * pixels + pixel] = f32(least);
    out[3u * pixels + pixel] = f32(second - least);
}
