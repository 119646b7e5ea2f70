// Disparity of one level. The contract is in mod.rs. z = 0 is the left view, z = 1 the right one.
// Needs nan.wgsl, expansion.wgsl, phases.wgsl.

override DISPLACED: u32 = 1u;
override COARSER: u32 = 1u;

const HUGE: f32 = 3.4028235e38;

fn here_of(view: u32, pixel: u32) -> vec4<u32> {
    let i = block.start.x + pixel;
    if (view == 0u) {
        return left[i];
    }
    return right[i];
}

fn there_of(view: u32, pixel: u32) -> vec4<u32> {
    return here_of(1u - view, pixel);
}

// Inserts a value into the four smallest values so far, sorted.
fn insert(sorted: vec4<f32>, value: f32) -> vec4<f32> {
    let a = min(sorted.x, value);
    let after_a = max(sorted.x, value);
    let b = min(sorted.y, after_a);
    let after_b = max(sorted.y, after_a);
    let c = min(sorted.z, after_b);
    let after_c = max(sorted.z, after_b);
    return vec4<f32>(a, b, c, min(sorted.w, after_c));
}

// The shifts; HUGE for lanes that are not valid.
fn counted(shift: vec4<f32>, counts: vec4<bool>) -> vec4<f32> {
    return select(vec4<f32>(HUGE), shift, counts);
}

fn agreement(shift: vec4<f32>, middle: f32) -> vec4<f32> {
    let distance = shift - middle;
    let all = vec4<f32>(1.0) / (vec4<f32>(1.0) + block.limits.y * (distance * distance));
    return select(vec4<f32>(), all, shift < vec4<f32>(HUGE));
}

fn one_of(shift: vec4<f32>) -> vec4<f32> {
    return select(vec4<f32>(), vec4<f32>(1.0), shift < vec4<f32>(HUGE));
}

@compute @workgroup_size(32, 4)
fn phase_stereo(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size.xy;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let view = id.z;
    let pixels = size.x * size.y;
    let row = id.y * size.x;
    let here = row + id.x;
    let place = view * pixels + here;
    let sign = select(-1.0, 1.0, view == 0u);
    out[place] = not_a_number();
    confidence[place] = 0.0;
    var d = 0.0;
    if (COARSER == 1u) {
        let n = neighbours(id.xy, block.size.zw) + vec4<u32>(view * block.size.z * block.size.w);
        d = expanded(coarser[n.x], coarser[n.y], coarser[n.z], coarser[n.w]);
        if (is_nan(d)) {
            return;
        }
    }
    let last = f32(size.x - 1u);
    let words = here_of(view, here);
    let own = phases_of(words);
    var seen = words;
    var step = vec4<f32>();
    var step2 = vec4<f32>();
    if (DISPLACED == 1u && COARSER == 1u) {
        let spot = spot_of(vec2<u32>(id.x, 0u), vec2<f32>(-sign * d, 0.0), vec2<u32>(size.x, 1u));
        let nearest = there_of(view, row + spot.nearest);
        let side = phases_of(there_of(view, row + spot.across));
        let there = phases_of(nearest);
        seen = seen & nearest;
        step = ahead(moved_across(there.first, side.first, spot.away.x), own.first);
        step2 = ahead(moved_across(there.second, side.second, spot.away.x), own.second);
    } else {
        let nearest = there_of(view, here);
        let there = phases_of(nearest);
        seen = seen & nearest;
        step = ahead(there.first, own.first);
        step2 = ahead(there.second, own.second);
    }
    let counts = (seen & vec4<u32>(1u)) != vec4<u32>();
    // Lane 1 does not respond to a horizontal shift.
    let counts2 = (seen & vec4<u32>(0u, 0x10000u, 0x10000u, 0x10000u)) != vec4<u32>();
    let shift = counted(sign * (step * block.per_angle[0]), counts);
    let shift2 = counted(sign * (step2 * block.per_angle[1]), counts2);
    let known = over_lanes(one_of(shift), one_of(shift2));
    if (known < block.limits.x) {
        return;
    }
    let count = u32(known);
    var sorted = insert(vec4<f32>(HUGE), shift.x);
    sorted = insert(sorted, shift.y);
    sorted = insert(sorted, shift2.y);
    sorted = insert(sorted, shift.z);
    sorted = insert(sorted, shift2.z);
    sorted = insert(sorted, shift.w);
    sorted = insert(sorted, shift2.w);
    var lower = sorted.x;
    var upper = sorted.x;
    lower = select(lower, sorted.y, count >= 3u);
    lower = select(lower, sorted.z, count >= 5u);
    lower = select(lower, sorted.w, count >= 7u);
    upper = select(upper, sorted.y, count >= 2u);
    upper = select(upper, sorted.z, count >= 4u);
    upper = select(upper, sorted.w, count >= 6u);
    let middle = select(0.5 * (lower + upper), upper, (count & 1u) == 1u);
    let found = d + middle;
    let at = f32(id.x) - sign * found;
    if (at < 0.0 || at > last) {
        return;
    }
    out[place] = found;
    confidence[place] = over_lanes(agreement(shift, middle), agreement(shift2, middle)) * 0.142857149;
}
