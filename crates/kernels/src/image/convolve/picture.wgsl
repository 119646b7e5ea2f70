// Both passes over a picture at once, along y and then along x, a tile of 32 × 16 pixels a workgroup: for small pictures a launch
// takes longer than a pass. The contract is in mod.rs; sums have the order of convolve.wgsl. After plane_taps.wgsl.

// Radii of the filters, at most 8.
override RADIUS_X: u32 = 1u;
override RADIUS_Y: u32 = 1u;

const WIDTH: u32 = 32u;
const HEIGHT: u32 = 16u;
const THREADS: u32 = 256u;

// The image on the tile and what the filters reach of it; the same after the pass along y.
var<workgroup> samples: array<f32, 1536>;
var<workgroup> columns: array<f32, 768>;

fn wide() -> u32 {
    return WIDTH + 2u * RADIUS_X;
}

@compute @workgroup_size(256)
fn both_passes(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = vec2<i32>(group.xy * vec2<u32>(WIDTH, HEIGHT)) - vec2<i32>(i32(RADIUS_X), i32(RADIUS_Y));
    let last = vec2<i32>(block.size.xy) - vec2<i32>(1);
    // Pictures above each other stay apart.
    let plane = group.z * block.size.x * block.size.y;
    // Counts of rounds are known when the text is compiled, so that loads of all rounds are under way together.
    let rounds = (wide() * (HEIGHT + 2u * RADIUS_Y) + THREADS - 1u) / THREADS;
    for (var round = 0u; round < rounds; round = round + 1u) {
        let nth = lane + round * THREADS;
        let at = first + vec2<i32>(i32(nth % wide()), i32(nth / wide()));
        let inside = vec2<u32>(clamp(at, vec2<i32>(0), last));
        samples[nth] = input[plane + inside.y * block.size.x + inside.x];
    }
    workgroupBarrier();
    for (var nth = lane; nth < wide() * HEIGHT; nth = nth + THREADS) {
        var sum = tap_y(i32(RADIUS_Y)) * samples[nth];
        for (var k = 1u; k <= 2u * RADIUS_Y; k = k + 1u) {
            sum = sum + tap_y(i32(k) - i32(RADIUS_Y)) * samples[nth + k * wide()];
        }
        columns[nth] = sum;
    }
    workgroupBarrier();
    for (var nth = lane; nth < WIDTH * HEIGHT; nth = nth + THREADS) {
        let at = group.xy * vec2<u32>(WIDTH, HEIGHT) + vec2<u32>(nth % WIDTH, nth / WIDTH);
        if (all(at < block.size.xy)) {
            let i = nth / WIDTH * wide() + nth % WIDTH + RADIUS_X;
            var sum = tap_x(0u) * columns[i];
            for (var k = 1u; k <= RADIUS_X; k = k + 1u) {
                sum = sum + tap_x(k) * (columns[i - k] + columns[i + k]);
            }
            output[plane + at.y * block.size.x + at.x] = sum;
        }
    }
}
