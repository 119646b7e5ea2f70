// Pictures mapped, smoothed and sampled on a coarser grid, a tile of 16 × 16 results a workgroup. The contract is in mod.rs; sums have
// the order of convolve's picture.wgsl, and interpolation that of resample.wgsl. After nan.wgsl,
// plane_taps.wgsl and between.wgsl.

// 1: intensities are mapped.
override MAPPED: u32 = 0u;
// 1: the results are on the images' own grid.
override SAME: u32 = 0u;
// Radii of the filter.
override RADIUS_X: u32 = 1u;
override RADIUS_Y: u32 = 1u;
// Samples along x and y between which a tile's results lie.
override SPAN_X: u32 = 33u;
override SPAN_Y: u32 = 33u;

const TILE: u32 = 16u;
const THREADS: u32 = 256u;

// What the tile reads of an image; the same after the pass along y.
var<workgroup> samples: array<f32, 3136>;
var<workgroup> columns: array<f32, 3136>;

fn wide() -> u32 {
    return SPAN_X + 2u * RADIUS_X;
}

fn across(x: u32) -> Between {
    return between(x, block.grids.size_in.x, block.grids.size_out.x, block.grids.whole.x, block.grids.rest.x);
}

fn down(y: u32) -> Between {
    return between(y, block.grids.size_in.y, block.grids.size_out.y, block.grids.whole.y, block.grids.rest.y);
}

// A sample of an image, mapped; 0 where that is NaN or infinite.
fn sample(image: u32, i: u32) -> f32 {
    var value = 0.0;
    if (image == 0u) {
        value = image_0[i];
    } else {
        value = image_1[i];
    }
    if (MAPPED == 0u) {
        return value;
    }
    let map = select(block.maps.zw, block.maps.xy, image == 0u);
    let mapped = map.x * value + map.y;
    return select(0.0, mapped, is_finite(mapped));
}

fn store(image: u32, i: u32, value: f32) {
    if (image == 0u) {
        out_0[i] = value;
    } else {
        out_1[i] = value;
    }
}

// The smoothed image at a place of `columns`.
fn smoothed(i: u32) -> f32 {
    var sum = tap_x(0u) * columns[i];
    for (var k = 1u; k <= RADIUS_X; k = k + 1u) {
        sum = sum + tap_x(k) * (columns[i - k] + columns[i + k]);
    }
    return sum;
}

// The smoothed image at a result, of whose tile the first sample is `begin`.
fn result(at: vec2<u32>, begin: vec2<u32>) -> f32 {
    if (SAME == 1u) {
        return smoothed((at.y - begin.y) * wide() + at.x - begin.x + RADIUS_X);
    }
    let x = across(at.x);
    let y = down(at.y);
    let low = (y.low - begin.y) * wide() + RADIUS_X - begin.x;
    let high = (y.high - begin.y) * wide() + RADIUS_X - begin.x;
    let left = vec2<f32>(smoothed(low + x.low), smoothed(high + x.low));
    let right = vec2<f32>(smoothed(low + x.high), smoothed(high + x.high));
    return mix_eight(left.xyxy, right.xyxy, vec4<f32>(x.weight, y.weight, block.plane));
}

@compute @workgroup_size(256)
fn shrink(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let image = group.z;
    let first = group.xy * TILE;
    var begin = first;
    if (SAME == 0u) {
        begin = vec2<u32>(across(first.x).low, down(first.y).low);
    }
    let corner = vec2<i32>(begin) - vec2<i32>(i32(RADIUS_X), i32(RADIUS_Y));
    let last = vec2<i32>(block.grids.size_in.xy) - vec2<i32>(1);
    // Counts of rounds are known when the text is compiled, so that loads of several rounds are under way.
    let read = wide() * (SPAN_Y + 2u * RADIUS_Y);
    for (var round = 0u; round < (read + THREADS - 1u) / THREADS; round = round + 1u) {
        let nth = lane + round * THREADS;
        let at = clamp(corner + vec2<i32>(i32(nth % wide()), i32(nth / wide())), vec2<i32>(0), last);
        let value = sample(image, u32(at.y) * block.grids.size_in.x + u32(at.x));
        if (nth < read) {
            samples[nth] = value;
        }
    }
    workgroupBarrier();
    for (var nth = lane; nth < wide() * SPAN_Y; nth = nth + THREADS) {
        var sum = tap_y(i32(RADIUS_Y)) * samples[nth];
        for (var k = 1u; k <= 2u * RADIUS_Y; k = k + 1u) {
            sum = sum + tap_y(i32(k) - i32(RADIUS_Y)) * samples[nth + k * wide()];
        }
        columns[nth] = sum;
    }
    workgroupBarrier();
    let at = first + vec2<u32>(lane % TILE, lane / TILE);
    if (all(at < block.grids.size_out.xy)) {
        store(image, at.y * block.grids.size_out.x + at.x, result(at, begin));
    }
}
