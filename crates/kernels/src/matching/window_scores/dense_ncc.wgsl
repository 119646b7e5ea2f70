// Normalised cross-correlation of a block around every pixel of a picture, a tile of 32 × 8 pixels a workgroup. The contract is
// in mod.rs; window_scores.wgsl has the same results. Windows beside each other share the sums of their columns, and candidates
// the moving image's mean and variance.

// Half a window, 1 or 2.
override RADIUS: u32 = 2u;
// The farthest candidate, at most 2.
override REACH: u32 = 1u;
// Rows of candidates that are worked on together: 9 candidates at most.
override LINES: u32 = 3u;

const WIDTH: u32 = 32u;
const HEIGHT: u32 = 8u;
const THREADS: u32 = 256u;

// The fixed image on the tile and half a window around it; the moving one as far again as candidates lie.
var<workgroup> fixed_tile: array<f32, 512>;
var<workgroup> moving_tile: array<f32, 768>;
// Sums of columns, f and f².
var<workgroup> fixed_columns: array<vec2<f32>, 288>;
// Of the moving image: m and m²; then its mean and its variance with ε².
var<workgroup> moving_columns: array<vec2<f32>, 480>;
var<workgroup> moving_windows: array<vec2<f32>, 432>;
// f m of the candidates of LINES rows.
var<workgroup> products: array<f32, 2592>;

fn fixed_width() -> u32 {
    return WIDTH + 2u * RADIUS;
}

fn moving_width() -> u32 {
    return WIDTH + 2u * (RADIUS + REACH);
}

// The pixel of a place of a tile with so many pixels around it; the outermost ones repeat.
fn pixel_of(nth: u32, width: u32, around: u32, first: vec2<u32>) -> u32 {
    let at = vec2<i32>(first) + vec2<i32>(i32(nth % width), i32(nth / width)) - vec2<i32>(i32(around));
    let inside = vec2<u32>(clamp(at, vec2<i32>(0), vec2<i32>(block.size.xy) - vec2<i32>(1)));
    return inside.y * block.size.x + inside.x;
}

// Counts of rounds are known when the text is compiled, so that loads of all rounds are under way together.
fn load(first: vec2<u32>, lane: u32) {
    let fixed_rounds = (fixed_width() * (HEIGHT + 2u * RADIUS) + THREADS - 1u) / THREADS;
    for (var round = 0u; round < fixed_rounds; round = round + 1u) {
        let nth = lane + round * THREADS;
        fixed_tile[nth] = fixed[pixel_of(nth, fixed_width(), RADIUS, first)];
    }
    let around = RADIUS + REACH;
    let moving_rounds = (moving_width() * (HEIGHT + 2u * around) + THREADS - 1u) / THREADS;
    for (var round = 0u; round < moving_rounds; round = round + 1u) {
        let nth = lane + round * THREADS;
        moving_tile[nth] = moving[pixel_of(nth, moving_width(), around, first)];
    }
}

fn sum_columns(lane: u32) {
    for (var nth = lane; nth < fixed_width() * HEIGHT; nth = nth + THREADS) {
        var sum = vec2<f32>(0.0);
        for (var y = 0u; y <= 2u * RADIUS; y = y + 1u) {
            let f = fixed_tile[nth + y * fixed_width()];
            sum = sum + vec2<f32>(f, f * f);
        }
        fixed_columns[nth] = sum;
    }
    for (var nth = lane; nth < moving_width() * (HEIGHT + 2u * REACH); nth = nth + THREADS) {
        var sum = vec2<f32>(0.0);
        for (var y = 0u; y <= 2u * RADIUS; y = y + 1u) {
            let m = moving_tile[nth + y * moving_width()];
            sum = sum + vec2<f32>(m, m * m);
        }
        moving_columns[nth] = sum;
    }
}

// The mean, and the variance with ε², of sums over a window.
fn moments(sum: vec2<f32>) -> vec2<f32> {
    let mean = sum.x * block.share;
    return vec2<f32>(mean, max(sum.y * block.share - mean * mean, 0.0) + block.floor2);
}

fn sum_moving_windows(lane: u32) {
    let width = WIDTH + 2u * REACH;
    for (var nth = lane; nth < width * (HEIGHT + 2u * REACH); nth = nth + THREADS) {
        var sum = vec2<f32>(0.0);
        for (var x = 0u; x <= 2u * RADIUS; x = x + 1u) {
            sum = sum + moving_columns[nth / width * moving_width() + nth % width + x];
        }
        moving_windows[nth] = moments(sum);
    }
}

fn fixed_window(row: u32, column: u32) -> vec2<f32> {
    var sum = vec2<f32>(0.0);
    for (var x = 0u; x <= 2u * RADIUS; x = x + 1u) {
        sum = sum + fixed_columns[row * fixed_width() + column + x];
    }
    return moments(sum);
}

// Candidates of a row.
fn candidates() -> u32 {
    return 2u * REACH + 1u;
}

// The columns of f m for the candidates of LINES rows from `line` on.
fn multiply(line: u32, lane: u32) {
    let count = fixed_width() * HEIGHT;
    for (var nth = lane; nth < count * candidates() * LINES; nth = nth + THREADS) {
        let candidate = nth / count;
        let left = nth % count;
        let row = left / fixed_width() + line + candidate / candidates();
        let there = row * moving_width() + left % fixed_width() + candidate % candidates();
        var sum = 0.0;
        for (var y = 0u; y <= 2u * RADIUS; y = y + 1u) {
            sum = sum + fixed_tile[left + y * fixed_width()] * moving_tile[there + y * moving_width()];
        }
        products[nth] = sum;
    }
}

@compute @workgroup_size(256)
fn dense_ncc(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.xy * vec2<u32>(WIDTH, HEIGHT);
    load(first, lane);
    workgroupBarrier();
    sum_columns(lane);
    workgroupBarrier();
    sum_moving_windows(lane);
    let row = lane / WIDTH;
    let column = lane % WIDTH;
    let at = first + vec2<u32>(column, row);
    let here = fixed_window(row, column);
    for (var line = 0u; line < candidates(); line = line + LINES) {
        workgroupBarrier();
        multiply(line, lane);
        workgroupBarrier();
        for (var candidate = 0u; candidate < candidates() * LINES; candidate = candidate + 1u) {
            var sum = 0.0;
            for (var x = 0u; x <= 2u * RADIUS; x = x + 1u) {
                sum = sum + products[(candidate * HEIGHT + row) * fixed_width() + column + x];
            }
            let window = (row + line + candidate / candidates()) * (WIDTH + 2u * REACH) + column;
            let there = moving_windows[window + candidate % candidates()];
            if (all(at < block.size.xy)) {
                let nth = line * candidates() + candidate;
                let out = (nth * block.size.y + at.y) * block.size.x + at.x;
                scores[out] = block.gain * ((sum * block.share - here.x * there.x) / sqrt(here.y * there.y));
            }
        }
    }
}
