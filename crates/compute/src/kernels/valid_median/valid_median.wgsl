// Medians of estimates that may be unknown: the contract is mod.rs's. A plane is a z. Needs nan.wgsl, expansion.wgsl.

override RADIUS: u32 = 1u;
// Samples of the window's lower half.
override HALF: u32 = 5u;
override COARSER: u32 = 0u;

struct Block {
    // Size of this level, and of the coarser one.
    size: vec4<u32>,
    // Planes of the confidence.
    planes: u32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> estimates: array<f32>;
@group(0) @binding(2) var<storage, read> coarser: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<storage, read_write> confidence: array<f32>;

const HUGE: f32 = 3.4028235e38;

@compute @workgroup_size(32, 4)
fn valid_median(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size.xy;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let plane = id.z * size.x * size.y;
    let here = plane + id.y * size.x + id.x;
    var found = not_a_number();
    if (RADIUS == 0u) {
        found = estimates[here];
    } else {
        var sorted: array<f32, 13>;
        for (var k = 0u; k < HALF; k = k + 1u) {
            sorted[k] = HUGE;
        }
        var count = 0u;
        var inside = 0u;
        for (var dy = 0u; dy < 2u * RADIUS + 1u; dy = dy + 1u) {
            for (var dx = 0u; dx < 2u * RADIUS + 1u; dx = dx + 1u) {
                // Negative positions wrap and are outside as well.
                let x = id.x + dx - RADIUS;
                let y = id.y + dy - RADIUS;
                var value = HUGE;
                if (x < size.x && y < size.y) {
                    inside = inside + 1u;
                    let sample = estimates[plane + y * size.x + x];
                    if (!is_nan(sample)) {
                        count = count + 1u;
                        value = sample;
                    }
                }
                for (var k = 0u; k < HALF; k = k + 1u) {
                    let least = min(sorted[k], value);
                    value = max(sorted[k], value);
                    sorted[k] = least;
                }
            }
        }
        if (2u * count > inside) {
            var lower = 0.0;
            var upper = 0.0;
            for (var k = 0u; k < HALF; k = k + 1u) {
                lower = select(lower, sorted[k], k == (count - 1u) / 2u);
                upper = select(upper, sorted[k], k == count / 2u);
            }
            found = select(0.5 * (lower + upper), upper, (count & 1u) == 1u);
        }
    }
    if (COARSER == 1u && is_nan(found)) {
        let n = neighbours(id.xy, block.size.zw) + vec4<u32>(id.z * block.size.z * block.size.w);
        found = expanded(coarser[n.x], coarser[n.y], coarser[n.z], coarser[n.w]);
    }
    out[here] = found;
    if (id.z < block.planes && is_nan(found)) {
        confidence[here] = 0.0;
    }
}
