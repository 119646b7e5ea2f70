// Points followed from one picture to another. The contract is in mod.rs.

// Rows and columns of a window.
override ROWS: u32 = 9u;
// 1: there are guesses.
override GUESSED: u32 = 0u;

// Threads of a workgroup.
override WIDTH: u32 = 32u;

// Threads of a point.
const LANES: u32 = 16u;

// The samples of both points' windows and a pixel around each, and the derivatives.
var<workgroup> samples: array<f32, 2u * AROUND>;
var<workgroup> along_x: array<f32, 2u * AREA>;
var<workgroup> along_y: array<f32, 2u * AREA>;
// A sum of each thread.
var<workgroup> sums: array<vec4<f32>, 32>;

const FOUND: f32 = 0.0;
const UNDEFINED: f32 = 1.0;
const OUTSIDE: f32 = 2.0;
const LEFT: f32 = 3.0;
const FLAT: f32 = 4.0;

// By how much steps are lengthened at most.
const MOST_LENGTHENED: f32 = 2.0;

// The sums of a point's threads; every thread of the workgroup calls it. What is added up comes from memory, so that no
// compiler takes the sums apart.
fn total(sum: vec4<f32>, lane: u32) -> vec4<f32> {
    workgroupBarrier();
    sums[lane] = sum;
    workgroupBarrier();
    let own = lane / LANES * LANES;
    let nth = own + lane % 4u;
    let quarter = sums[nth] + sums[nth + 4u] + sums[nth + 8u] + sums[nth + 12u];
    workgroupBarrier();
    sums[lane] = quarter;
    workgroupBarrier();
    return sums[own] + sums[own + 1u] + sums[own + 2u] + sums[own + 3u];
}

// A level of a picture, and the rows and columns from a corner on.
struct View {
    size: vec2<i32>,
    start: i32,
    corner: vec2<i32>,
    part: vec2<f32>,
}

fn view(level: vec4<u32>, corner: vec2<f32>) -> View {
    let low = floor(corner);
    return View(vec2<i32>(level.xy), i32(level.z), vec2<i32>(low), corner - low);
}

fn column(at: View, x: i32) -> i32 {
    return at.start + clamp(at.corner.x + x, 0, at.size.x - 1);
}

fn row(at: View, y: i32) -> i32 {
    return clamp(at.corner.y + y, 0, at.size.y - 1) * at.size.x;
}

fn mix_of(a: f32, b: f32, t: f32) -> f32 {
    return a + t * (b - a);
}

// Takes a column of the samples, of which there is one more on either side than the window has.
fn take_samples(at: View, base: u32, x: u32) {
    let low = column(at, i32(x) - 1);
    let high = column(at, i32(x));
    var y = row(at, -1);
    var above = mix_of(first[low + y], first[high + y], at.part.x);
    for (var j = 0u; j < ROWS + 2u; j = j + 1u) {
        y = row(at, i32(j));
        let below = mix_of(first[low + y], first[high + y], at.part.x);
        samples[base + j * (ROWS + 2u) + x] = mix_of(above, below, at.part.y);
        above = below;
    }
}

// The derivatives of a column of the window.
fn differentiate(around: u32, base: u32, x: u32) {
    let side = ROWS + 2u;
    for (var j = 0u; j < ROWS; j = j + 1u) {
        let a = around + j * side + x;
        let b = a + side;
        let c = b + side;
        let i = base + j * ROWS + x;
        along_x[i] = 0.09375 * (samples[a + 2u] - samples[a] + samples[c + 2u] - samples[c])
            + 0.3125 * (samples[b + 2u] - samples[b]);
        along_y[i] = 0.09375 * (samples[c] - samples[a] + samples[c + 2u] - samples[a + 2u])
            + 0.3125 * (samples[c + 1u] - samples[a + 1u]);
    }
}

// Σ g gᵀ of a column: 11, 12, 22.
fn products(base: u32, x: u32) -> vec4<f32> {
    var sum = vec4<f32>();
    for (var j = 0u; j < ROWS; j = j + 1u) {
        let i = base + j * ROWS + x;
        let gx = along_x[i];
        let gy = along_y[i];
        sum = sum + vec4<f32>(gx * gx, gx * gy, gy * gy, 0.0);
    }
    return sum;
}

// Σ (J − I) g (x, y) and Σ |J − I| (z) of a thread's columns.
fn mismatch(at: View, point: u32, lane: u32) -> vec4<f32> {
    let base = point * AREA;
    let side = ROWS + 2u;
    var sum = vec4<f32>();
    var beyond = vec4<f32>();
    let low = vec2<i32>(column(at, i32(lane)), column(at, i32(lane) + 16));
    let high = vec2<i32>(column(at, i32(lane) + 1), column(at, i32(lane) + 17));
    var y = row(at, 0);
    var above = vec2<f32>(mix_of(second[low.x + y], second[high.x + y], at.part.x), 0.0);
    if (ROWS > LANES) {
        above.y = mix_of(second[low.y + y], second[high.y + y], at.part.x);
    }
    for (var j = 0u; j < ROWS; j = j + 1u) {
        y = row(at, i32(j) + 1);
        var below = vec2<f32>(mix_of(second[low.x + y], second[high.x + y], at.part.x), 0.0);
        if (ROWS > LANES) {
            below.y = mix_of(second[low.y + y], second[high.y + y], at.part.x);
        }
        var i = base + j * ROWS + lane;
        var own = point * AROUND + (j + 1u) * side + lane + 1u;
        if (lane < ROWS) {
            let difference = mix_of(above.x, below.x, at.part.y) - samples[own];
            sum = sum + vec4<f32>(difference * along_x[i], difference * along_y[i], abs(difference), 0.0);
        }
        i = i + LANES;
        own = own + LANES;
        if (lane + LANES < ROWS) {
            let difference = mix_of(above.y, below.y, at.part.y) - samples[own];
            beyond = beyond + vec4<f32>(difference * along_x[i], difference * along_y[i], abs(difference), 0.0);
        }
        above = below;
    }
    return sum + beyond;
}

fn dot_of(a: vec2<f32>, b: vec2<f32>) -> f32 {
    return a.x * b.x + a.y * b.y;
}

fn is_inside(at: vec2<f32>, size: vec2<u32>, beyond: f32) -> bool {
    let last = vec2<f32>(size - vec2<u32>(1u)) + vec2<f32>(beyond);
    return at.x >= -beyond && at.y >= -beyond && at.x <= last.x && at.y <= last.y;
}

// Steps on one level from a position on; the loop is as long for all, and who has arrived waits.
fn steps(level: vec4<u32>, matrix: vec4<f32>, start: vec2<f32>, lane: u32, limit: f32) -> vec2<f32> {
    let radius = block.search.w;
    let determinant = matrix.x * matrix.z - matrix.y * matrix.y;
    var here = start;
    // The step before as it was taken, and as the matrix gave it.
    var taken = vec2<f32>();
    var given = vec2<f32>();
    var goes_on = limit >= 0.0;
    for (var nth = 0u; nth < block.counts.z; nth = nth + 1u) {
        goes_on = goes_on && is_inside(here, level.xy, radius);
        var sum = vec4<f32>();
        if (goes_on) {
            sum = mismatch(view(level, here - vec2<f32>(radius)), lane / LANES, lane % LANES);
        }
        sum = total(sum, lane);
        if (goes_on) {
            let step = vec2<f32>(
                (matrix.y * sum.y - matrix.z * sum.x) / determinant,
                (matrix.y * sum.x - matrix.x * sum.y) / determinant,
            );
            // By the way that was taken the steps fell by so much; the secant through both says where they vanish.
            let way = dot_of(taken, taken);
            let fall = dot_of(taken, given - step);
            var factor = 1.0;
            if (fall > way / MOST_LENGTHENED) {
                factor = way / fall;
            } else if (fall > 0.0) {
                factor = MOST_LENGTHENED;
            }
            let square = dot_of(step, step);
            let before = dot_of(given, given);
            taken = factor * step;
            given = step;
            here = here + taken;
            // The next one would be shorter by as much as this one is.
            goes_on = !(square <= limit || square * square <= limit * before);
        }
    }
    return here;
}

@compute @workgroup_size(WIDTH)
fn track(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let nth = (group.y * block.counts.w + group.x) * 2u + lane / LANES;
    let base = lane / LANES * AREA;
    let exists = nth < block.counts.x;
    var own = FOUND;
    var point = vec2<f32>();
    if (exists) {
        point = vec2<f32>(point_x[nth], point_y[nth]);
    }
    if (is_nan(point.x) || is_nan(point.y)) {
        own = UNDEFINED;
    } else if (!is_inside(point, block.levels[0].xy, 0.0)) {
        own = OUTSIDE;
    }
    let coarsest = block.counts.y - 1u;
    var scale = 1.0 / f32(1u << coarsest);
    var here = point * scale;
    if (GUESSED == 1u && exists) {
        let guess = vec2<f32>(guess_x[nth], guess_y[nth]);
        if (!is_nan(guess.x) && !is_nan(guess.y)) {
            here = guess * scale;
        }
    }
    for (var back = 0u; back <= coarsest; back = back + 1u) {
        let level = block.levels[coarsest - back];
        let corner = point * scale - vec2<f32>(block.search.w);
        scale = scale * 2.0;
        var sum = vec4<f32>();
        let at = view(level, corner);
        workgroupBarrier();
        if (own == FOUND) {
            for (var x = lane % LANES; x < ROWS + 2u; x = x + LANES) {
                take_samples(at, lane / LANES * AROUND, x);
            }
        }
        workgroupBarrier();
        if (own == FOUND) {
            for (var x = lane % LANES; x < ROWS; x = x + LANES) {
                differentiate(lane / LANES * AROUND, base, x);
            }
            for (var x = lane % LANES; x < ROWS; x = x + LANES) {
                sum = sum + products(base, x);
            }
        }
        let matrix = total(sum, lane);
        let half = 0.5 * (matrix.x - matrix.z);
        let least = (0.5 * (matrix.x + matrix.z) - sqrt(half * half + matrix.y * matrix.y)) / f32(ROWS * ROWS);
        let determinant = matrix.x * matrix.z - matrix.y * matrix.y;
        let is_sound = least >= block.search.z && determinant > 0.0;
        // Below zero: none.
        let limit = select(-1.0, select(block.search.y, block.search.x, back == coarsest), own == FOUND && is_sound);
        here = steps(level, matrix, here, lane, limit);
        if (back < coarsest) {
            here = 2.0 * here;
        } else if (own == FOUND) {
            if (!is_sound) {
                own = FLAT;
            } else if (!is_inside(here, level.xy, 0.0)) {
                own = LEFT;
            }
        }
    }
    let finest = block.levels[0];
    var sum = vec4<f32>();
    if (own == FOUND) {
        sum = mismatch(view(finest, here - vec2<f32>(block.search.w)), lane / LANES, lane % LANES);
    }
    let mean = total(sum, lane).z / f32(ROWS * ROWS);
    if (!exists || lane % LANES != 0u) {
        return;
    }
    fate[nth] = own;
    if (own == FOUND) {
        moved_x[nth] = here.x;
        moved_y[nth] = here.y;
        error[nth] = mean;
    } else {
        moved_x[nth] = not_a_number();
        moved_y[nth] = not_a_number();
        error[nth] = not_a_number();
    }
}
