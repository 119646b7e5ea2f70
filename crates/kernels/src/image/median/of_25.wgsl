// Medians of 5 × 5 windows of pictures: windows beside each other share their columns, whose values are put in their order once.
// After median.wgsl, whose `plain` has the same results.

const TILE: vec2<u32> = vec2<u32>(32u, 8u);
// Columns of the windows of a row of pixels.
const COLUMNS: u32 = 36u;
// Values of one rank.
const RANK: u32 = 288u;

// Of each rank the values of all columns.
var<workgroup> ranks: array<f32, 1440>;

fn exchange5(values: ptr<function, array<f32, 5>>, low: u32, high: u32) {
    let a = (*values)[low];
    let b = (*values)[high];
    (*values)[low] = min(a, b);
    (*values)[high] = max(a, b);
}

fn exchange13(values: ptr<function, array<f32, 13>>, low: u32, high: u32) {
    let a = (*values)[low];
    let b = (*values)[high];
    (*values)[low] = min(a, b);
    (*values)[high] = max(a, b);
}

// Nine exchanges that put five values in their order.
fn sort_five(values: ptr<function, array<f32, 5>>) {
    exchange5(values, 0u, 3u);
    exchange5(values, 1u, 4u);
    exchange5(values, 0u, 2u);
    exchange5(values, 1u, 3u);
    exchange5(values, 0u, 1u);
    exchange5(values, 2u, 4u);
    exchange5(values, 1u, 2u);
    exchange5(values, 3u, 4u);
    exchange5(values, 2u, 3u);
}

// The values of a rank in the columns of a window, in their order.
fn sorted_rank(rank: u32, at: u32) -> array<f32, 5> {
    var values: array<f32, 5>;
    for (var k = 0u; k < 5u; k = k + 1u) {
        values[k] = ranks[rank * RANK + at + k];
    }
    sort_five(&values);
    return values;
}

// Twelve values cannot be the median, six on each side; of the others the least and the greatest of eight are forgotten until one
// is left: see cpu.rs.
fn middle_of_columns(at: u32) -> f32 {
    let first = sorted_rank(0u, at);
    let second = sorted_rank(1u, at);
    let third = sorted_rank(2u, at);
    let fourth = sorted_rank(3u, at);
    let fifth = sorted_rank(4u, at);
    var left = array<f32, 13>(
        first[3], first[4], second[2], second[3], second[4], third[1], third[2], third[3],
        fourth[0], fourth[1], fourth[2], fifth[0], fifth[1],
    );
    for (var least = 0u; least < 6u; least = least + 1u) {
        for (var k = least + 1u; k < 8u; k = k + 1u) {
            exchange13(&left, least, k);
        }
        for (var k = least + 1u; k < 7u; k = k + 1u) {
            exchange13(&left, k, 7u);
        }
        left[7] = left[min(8u + least, 12u)];
    }
    return left[6];
}

// What stands for the pixels of a column outside of the image: as many below all values as above, or one more of either.
// `more`: of which side there is one more, 0 or 1; the mean of both medians is that of the pixels inside.
fn outside(x: i32, nth: u32, missing: u32, more: u32) -> f32 {
    let last = i32(block.size.x) - 1;
    var is_above = (nth & 1u) == 1u;
    if (x < 0 || x > last) {
        // Two columns are missing together: one has more below, the other above.
        let is_first = x == -1 || x == last + 1;
        is_above = nth >= select(2u, 3u, is_first == (more == 1u));
    } else if (missing == 1u) {
        is_above = ((u32(x) + more) & 1u) == 1u;
    }
    return select(-HUGE, HUGE, is_above);
}

// Where a column of the tile begins: its x, and the y of its first value.
fn column_at(first: vec2<i32>, nth: u32) -> vec2<i32> {
    return first + vec2<i32>(i32(nth % COLUMNS), i32(nth / COLUMNS)) - vec2<i32>(2);
}

// The values of a column; those outside of the image are replaced later. All loads are under way together.
fn load_column(values: ptr<function, array<f32, 5>>, component: u32, begin: vec2<i32>) {
    let last = vec2<i32>(block.size.xy) - vec2<i32>(1);
    for (var k = 0u; k < 5u; k = k + 1u) {
        let at = clamp(begin + vec2<i32>(0, i32(k)), vec2<i32>(0), last);
        (*values)[k] = sample(component, u32(at.y) * block.size.x + u32(at.x));
    }
}

// Puts a column in its order.
fn keep_sorted(loaded: ptr<function, array<f32, 5>>, begin: vec2<i32>, nth: u32, more: u32) {
    let size = vec2<i32>(block.size.xy);
    let is_column = begin.x >= 0 && begin.x < size.x;
    let missing = u32(max(-begin.y, 0) + max(begin.y + 5 - size.y, 0));
    var values: array<f32, 5>;
    var absent = 0u;
    for (var k = 0u; k < 5u; k = k + 1u) {
        let y = begin.y + i32(k);
        values[k] = (*loaded)[k];
        if (!(is_column && y >= 0 && y < size.y)) {
            values[k] = outside(begin.x, absent, missing, more);
            absent = absent + 1u;
        }
    }
    sort_five(&values);
    for (var k = 0u; k < 5u; k = k + 1u) {
        ranks[k * RANK + nth] = values[k];
    }
}

// For pictures of five pixels along each axis at least.
@compute @workgroup_size(32, 8)
fn of_25(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let size = block.size;
    let component = group.z;
    let first = group.xy * TILE;
    let at = first + vec2<u32>(lane % TILE.x, lane / TILE.x);
    // A thread has one column of the tile; the first ones have another.
    let nth = array<u32, 2>(lane, lane + TILE.x * TILE.y);
    let begins = array<vec2<i32>, 2>(column_at(vec2<i32>(first), nth[0]), column_at(vec2<i32>(first), nth[1]));
    let has_another = nth[1] < RANK;
    var one: array<f32, 5>;
    var other: array<f32, 5>;
    load_column(&one, component, begins[0]);
    if (has_another) {
        load_column(&other, component, begins[1]);
        keep_sorted(&other, begins[1], nth[1], 0u);
    }
    keep_sorted(&one, begins[0], nth[0], 0u);
    workgroupBarrier();
    let column = lane / TILE.x * COLUMNS + lane % TILE.x;
    var middle = middle_of_columns(column);
    if (any(first < vec2<u32>(2u)) || any(first + TILE + vec2<u32>(2u) > size.xy)) {
        workgroupBarrier();
        keep_sorted(&one, begins[0], nth[0], 1u);
        if (has_another) {
            keep_sorted(&other, begins[1], nth[1], 1u);
        }
        workgroupBarrier();
        middle = 0.5 * (middle + middle_of_columns(column));
    }
    if (all(at < size.xy)) {
        store(component, at.y * size.x + at.x, middle);
    }
}
