// The confidence of a picture in one launch, a tile of 32 × 16 pixels a workgroup: the expected errors on the tile and what the filter
// reaches of it, smoothed along y and then along x as by picture.wgsl of convolve, and what they leave of the confidence. The
// contract is in mod.rs. After nan.wgsl, plane_taps.wgsl, expected_error.wgsl and plane.wgsl of the least eigenvalue.

// Radii of the filters, at most 8.
override RADIUS_X: u32 = 1u;
override RADIUS_Y: u32 = 1u;
// 1: times λ/(λ + λ₀) of the least eigenvalue.
override DETERMINED: u32 = 0u;

const WIDTH: u32 = 32u;
const HEIGHT: u32 = 16u;
const THREADS: u32 = 384u;

// Errors of the tile and its surroundings; the same after the pass along y.
var<workgroup> errors: array<f32, 1536>;
var<workgroup> columns: array<f32, 768>;

fn wide() -> u32 {
    return WIDTH + 2u * RADIUS_X;
}

// What an error leaves of the confidence of pixel `i`.
fn confidence_of(error2: f32, i: u32) -> f32 {
    let trace = own_xx[i] + own_yy[i];
    let confidence = trace / (trace + block.contrast) / (1.0 + error2 * block.per_half2);
    if (DETERMINED == 0u) {
        return confidence;
    }
    var least = least_of_plane(j_0[i], j_1[i], j_2[i]);
    if (!(least > 0.0)) {
        least = 0.0;
    }
    return confidence * least / (least + block.half);
}

@compute @workgroup_size(384)
fn field_confidence(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = vec2<i32>(group.xy * vec2<u32>(WIDTH, HEIGHT)) - vec2<i32>(i32(RADIUS_X), i32(RADIUS_Y));
    let last = vec2<i32>(block.error.size.xy) - vec2<i32>(1);
    for (var nth = lane; nth < wide() * (HEIGHT + 2u * RADIUS_Y); nth = nth + THREADS) {
        let at = clamp(first + vec2<i32>(i32(nth % wide()), i32(nth / wide())), vec2<i32>(0), last);
        errors[nth] = expected(vec3<u32>(vec2<u32>(at), 0u));
    }
    workgroupBarrier();
    for (var nth = lane; nth < wide() * HEIGHT; nth = nth + THREADS) {
        var sum = tap_y(i32(RADIUS_Y)) * errors[nth];
        for (var k = 1u; k <= 2u * RADIUS_Y; k = k + 1u) {
            sum = sum + tap_y(i32(k) - i32(RADIUS_Y)) * errors[nth + k * wide()];
        }
        columns[nth] = sum;
    }
    workgroupBarrier();
    for (var nth = lane; nth < WIDTH * HEIGHT; nth = nth + THREADS) {
        let at = group.xy * vec2<u32>(WIDTH, HEIGHT) + vec2<u32>(nth % WIDTH, nth / WIDTH);
        if (all(at < block.error.size.xy)) {
            let i = nth / WIDTH * wide() + nth % WIDTH + RADIUS_X;
            var sum = tap_x(0u) * columns[i];
            for (var k = 1u; k <= RADIUS_X; k = k + 1u) {
                sum = sum + tap_x(k) * (columns[i - k] + columns[i + k]);
            }
            let pixel = at.y * block.error.size.x + at.x;
            out[pixel] = confidence_of(sum, pixel);
        }
    }
}
