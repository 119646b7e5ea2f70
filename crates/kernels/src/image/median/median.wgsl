// Medians of windows. The contract is in mod.rs. HALF is defined in the part of the source before this one: (n + 1) / 2
// for a whole window of n values, or 0 if that many values do not fit the registers of a thread.

override COMPONENTS: u32 = 2u;
override RADIUS: u32 = 2u;
override VOTED: u32 = 0u;

const HUGE: f32 = 3.4028235e38;

fn sample(component: u32, i: u32) -> f32 {
    if (component == 0u) {
        return in_x[i];
    }
    if (component == 1u) {
        return in_y[i];
    }
    return in_z[i];
}

fn store(component: u32, i: u32, value: f32) {
    if (component == 0u) {
        out_x[i] = value;
    } else if (component == 1u) {
        out_y[i] = value;
    } else {
        out_z[i] = value;
    }
}

// The part of a window that is inside the image: first voxel, and last voxel + 1, along each axis.
struct Window {
    first: vec3<u32>,
    end: vec3<u32>,
}

fn window_around(at: vec3<u32>) -> Window {
    let size = block.size.xyz;
    let reach = vec3<u32>(RADIUS, RADIUS, select(0u, RADIUS, COMPONENTS == 3u));
    return Window(at - min(at, reach), min(at + reach + vec3<u32>(1u), size));
}

// The median of a window; for an even number of values the mean of the middle two.
//
// The values are inserted one after the other into the sorted lower half of the window; its greatest value drops out.
fn middle_by_insertion(component: u32, window: Window) -> f32 {
    var sorted: array<f32, max(HALF, 1u)>;
    for (var k = 0u; k < HALF; k = k + 1u) {
        sorted[k] = HUGE;
    }
    var count = 0u;
    for (var z = window.first.z; z < window.end.z; z = z + 1u) {
        for (var y = window.first.y; y < window.end.y; y = y + 1u) {
            let row = (z * block.size.y + y) * block.size.x;
            for (var x = window.first.x; x < window.end.x; x = x + 1u) {
                var value = sample(component, row + x);
                for (var k = 0u; k < HALF; k = k + 1u) {
                    let least = min(sorted[k], value);
                    value = max(sorted[k], value);
                    sorted[k] = least;
                }
                count = count + 1u;
            }
        }
    }
    var lower = 0.0;
    var upper = 0.0;
    for (var k = 0u; k < HALF; k = k + 1u) {
        lower = select(lower, sorted[k], k == (count - 1u) / 2u);
        upper = select(upper, sorted[k], k == count / 2u);
    }
    return select(0.5 * (lower + upper), upper, (count & 1u) == 1u);
}

// Integer keys that have the same order as the values, and the inverse.
fn key_of(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

fn value_of(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) == 1u));
}

// The number of keys of a window below `key`, and the smallest key that is not below it.
fn below(component: u32, window: Window, key: u32) -> vec2<u32> {
    var found = vec2<u32>(0u, 0xffffffffu);
    for (var z = window.first.z; z < window.end.z; z = z + 1u) {
        for (var y = window.first.y; y < window.end.y; y = y + 1u) {
            let row = (z * block.size.y + y) * block.size.x;
            for (var x = window.first.x; x < window.end.x; x = x + 1u) {
                let other = key_of(sample(component, row + x));
                if (other < key) {
                    found.x = found.x + 1u;
                } else {
                    found.y = min(found.y, other);
                }
            }
        }
    }
    return found;
}

// The median of a window of any size: the bits of its key are found from the highest to the lowest.
fn middle_by_bits(component: u32, window: Window) -> f32 {
    let width = window.end - window.first;
    let count = width.x * width.y * width.z;
    let rank = (count - 1u) / 2u;
    var key = 0u;
    for (var bit = 0x80000000u; bit > 0u; bit = bit >> 1u) {
        if (below(component, window, key | bit).x <= rank) {
            key = key | bit;
        }
    }
    let lower = value_of(key);
    if ((count & 1u) == 1u) {
        return lower;
    }
    let after = below(component, window, key + 1u);
    return 0.5 * (lower + select(value_of(after.y), lower, after.x > rank + 1u));
}

// The median of each component. Along z, the components of a plane follow each other.
@compute @workgroup_size(32, 4)
fn plain(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let component = id.z % COMPONENTS;
    let at = vec3<u32>(id.xy, id.z / COMPONENTS);
    let i = (at.z * size.y + at.y) * size.x + at.x;
    if (HALF == 0u) {
        store(component, i, middle_by_bits(component, window_around(at)));
    } else {
        store(component, i, middle_by_insertion(component, window_around(at)));
    }
}

// Second differences: a slope is no edge, however steep it is.
fn bend(before: u32, i: u32, after: u32) -> f32 {
    return max(
        abs(in_x[after] - 2.0 * in_x[i] + in_x[before]),
        abs(in_y[after] - 2.0 * in_y[i] + in_y[before]),
    );
}

// The strength, 0 to 1, of the strongest motion edge within reach along x.
@compute @workgroup_size(32, 4)
fn edges(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let reach = block.window.z;
    var most = 0.0;
    for (var x = id.x - min(id.x, reach); x < min(id.x + reach + 1u, size.x); x = x + 1u) {
        let i = id.y * size.x + x;
        if (x > 0u && x + 1u < size.x) {
            most = max(most, bend(i - 1u, i, i + 1u));
        }
        if (id.y > 0u && id.y + 1u < size.y) {
            most = max(most, bend(i - size.x, i, i + size.x));
        }
    }
    let square = most * most;
    out_x[id.y * size.x + id.x] = min(max((square - block.scales.z) * block.scales.w, 0.0), 1.0);
}

// Weights are rounded to whole numbers, so that their sums do not depend on the order.
const FULL_VOTE: f32 = 16384.0;
const HALVINGS: u32 = 16u;

// The strongest edge within reach along y of those within reach along x.
fn strongest_along_y(at: vec2<u32>) -> f32 {
    let reach = block.window.z;
    var share = 0.0;
    for (var y = at.y - min(at.y, reach); y < min(at.y + reach + 1u, block.size.y); y = y + 1u) {
        share = max(share, near[y * block.size.x + at.x]);
    }
    return share;
}

// What the sample `at` weighs, which lies `off` from the one whose intensity is `here`.
fn weight_of(at: u32, here: f32, off: vec2<i32>) -> f32 {
    let difference = guide[at] - here;
    let far = block.scales.x * f32(off.x * off.x + off.y * off.y);
    var weight = exponential(-far - difference * difference * block.scales.y);
    if (VOTED == 1u) {
        weight = weight * vote[at];
    }
    return floor(FULL_VOTE * weight + 0.5) + 1.0;
}

// Near an edge, blends the weighted median of both components with the input by the strength of the edge. Elsewhere
// copies the input.
@compute @workgroup_size(32, 4)
fn weighted(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = id.y * size.x + id.x;
    let share = strongest_along_y(id.xy);
    let own = vec2<f32>(in_x[i], in_y[i]);
    if (share <= 0.0) {
        out_x[i] = own.x;
        out_y[i] = own.y;
        return;
    }
    // The first round finds the mean and the standard deviation; each later round halves the bracket of the median.
    let here = guide[i];
    let radius = block.window.x;
    let steps = 2u * radius / block.window.y + 1u;
    var all = 0.0;
    var mean = vec2<f32>(0.0);
    var deviation = vec2<f32>(0.0);
    // The bracket, in standard deviations from the mean.
    var low = vec2<f32>(-1.0);
    var high = vec2<f32>(1.0);
    for (var round = 0u; round <= HALVINGS; round = round + 1u) {
        let middle = 0.5 * (low + high);
        let bound = mean + middle * deviation;
        var sum = 0.0;
        var first = vec2<f32>(0.0);
        var second = vec2<f32>(0.0);
        for (var step_y = 0u; step_y < steps; step_y = step_y + 1u) {
            let dy = i32(step_y * block.window.y) - i32(radius);
            let y = i32(id.y) + dy;
            if (y < 0 || y >= i32(size.y)) {
                continue;
            }
            for (var step_x = 0u; step_x < steps; step_x = step_x + 1u) {
                let dx = i32(step_x * block.window.y) - i32(radius);
                let x = i32(id.x) + dx;
                if (x < 0 || x >= i32(size.x)) {
                    continue;
                }
                let at = u32(y) * size.x + u32(x);
                let weight = weight_of(at, here, vec2<i32>(dx, dy));
                let value = vec2<f32>(in_x[at], in_y[at]) - own;
                if (round == 0u) {
                    sum = sum + weight;
                    first = first + weight * value;
                    second = second + weight * value * value;
                } else {
                    first = first + select(vec2<f32>(0.0), vec2<f32>(weight), value < bound);
                }
            }
        }
        if (round == 0u) {
            all = sum;
            mean = first / all;
            deviation = sqrt(max(second / all - mean * mean, vec2<f32>(0.0)));
        } else {
            let is_below = first > vec2<f32>(0.5 * all);
            high = select(high, middle, is_below);
            low = select(middle, low, is_below);
        }
    }
    let found = own + share * (mean + 0.5 * (low + high) * deviation);
    out_x[i] = found.x;
    out_y[i] = found.y;
}

// The same for a window of five samples a side, which stays in registers with its weights.
@compute @workgroup_size(32, 4)
fn weighted_25(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = id.y * size.x + id.x;
    let share = strongest_along_y(id.xy);
    let own = vec2<f32>(in_x[i], in_y[i]);
    if (share <= 0.0) {
        out_x[i] = own.x;
        out_y[i] = own.y;
        return;
    }
    let here = guide[i];
    var weights: array<f32, 25>;
    var values: array<vec2<f32>, 25>;
    var all = 0.0;
    var first = vec2<f32>(0.0);
    var second = vec2<f32>(0.0);
    for (var k = 0u; k < 25u; k = k + 1u) {
        let dx = i32((k % 5u) * block.window.y) - i32(block.window.x);
        let dy = i32((k / 5u) * block.window.y) - i32(block.window.x);
        let x = i32(id.x) + dx;
        let y = i32(id.y) + dy;
        // What lies outside weighs nothing.
        var weight = 0.0;
        var value = vec2<f32>(0.0);
        if (x >= 0 && x < i32(size.x) && y >= 0 && y < i32(size.y)) {
            let at = u32(y) * size.x + u32(x);
            weight = weight_of(at, here, vec2<i32>(dx, dy));
            value = vec2<f32>(in_x[at], in_y[at]) - own;
        }
        weights[k] = weight;
        values[k] = value;
        all = all + weight;
        first = first + weight * value;
        second = second + weight * value * value;
    }
    let mean = first / all;
    let deviation = sqrt(max(second / all - mean * mean, vec2<f32>(0.0)));
    var low = vec2<f32>(-1.0);
    var high = vec2<f32>(1.0);
    for (var round = 0u; round < HALVINGS; round = round + 1u) {
        let middle = 0.5 * (low + high);
        let bound = mean + middle * deviation;
        var below_bound = vec2<f32>(0.0);
        for (var k = 0u; k < 25u; k = k + 1u) {
            below_bound = below_bound + select(vec2<f32>(0.0), vec2<f32>(weights[k]), values[k] < bound);
        }
        let is_below = below_bound > vec2<f32>(0.5 * all);
        high = select(high, middle, is_below);
        low = select(middle, low, is_below);
    }
    let found = own + share * (mean + 0.5 * (low + high) * deviation);
    out_x[i] = found.x;
    out_y[i] = found.y;
}
