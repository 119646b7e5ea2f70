// Disparity of one level: the contract is mod.rs's. z = 0 is the left view, z = 1 the right one.
// Needs nan.wgsl, arctangent.wgsl, expansion.wgsl, responses.wgsl.

override DISPLACED: u32 = 1u;
override COARSER: u32 = 1u;

struct Block {
    // Size of this level, and of the coarser one.
    size: vec4<u32>,
    // Where this level's responses start, in vec4.
    start: vec4<u32>,
    // Least magnitude squared, orientations that must count, scale of the spread.
    limits: vec4<f32>,
    // Pixels a radian of lanes k and k + 4.
    per_radian: array<vec4<f32>, 4>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> left: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> right: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> coarser: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<storage, read_write> confidence: array<f32>;

const HUGE: f32 = 3.4028235e38;

fn here_of(view: u32, i: u32) -> vec4<f32> {
    if (view == 0u) {
        return left[i];
    }
    return right[i];
}

fn there_of(view: u32, i: u32) -> vec4<f32> {
    if (view == 0u) {
        return right[i];
    }
    return left[i];
}

// The least four of the values let in so far.
fn insert(sorted: vec4<f32>, value: f32) -> vec4<f32> {
    let a = min(sorted.x, value);
    let after_a = max(sorted.x, value);
    let b = min(sorted.y, after_a);
    let after_b = max(sorted.y, after_a);
    let c = min(sorted.z, after_b);
    let after_c = max(sorted.z, after_b);
    return vec4<f32>(a, b, c, min(sorted.w, after_c));
}

fn agreement(shift: f32, middle: f32, counts: bool) -> f32 {
    let distance = shift - middle;
    return select(0.0, 1.0 / (1.0 + block.limits.z * (distance * distance)), counts);
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
    let clamped = clamp(f32(id.x) - sign * d, 0.0, last);
    let low = min(u32(clamped), max(size.x, 2u) - 2u);
    let step = min(low + 1u, size.x - 1u) - low;
    let weight = clamped - f32(low);
    let least2 = block.limits.x;
    var sorted = vec4<f32>(HUGE);
    var count = 0u;
    // Shifts of lanes 0 to 3 and 4 to 7; HUGE is none.
    var shifts = vec4<f32>(HUGE);
    var shifts4 = vec4<f32>(HUGE);
    for (var k = 0u; k < 4u; k = k + 1u) {
        let plane = block.start.x + k * pixels;
        let a = here_of(view, plane + here);
        var b = vec4<f32>();
        if (DISPLACED == 1u && COARSER == 1u) {
            let first = there_of(view, plane + row + low);
            let second = there_of(view, plane + row + low + step);
            b = first + weight * (second - first);
        } else {
            b = there_of(view, plane + here);
        }
        let power = lesser(powers(a), powers(b));
        let angle = phase_steps(b, a);
        let shift = sign * (angle * block.per_radian[k].xz);
        if (power.x > least2) {
            shifts[k] = shift.x;
            sorted = insert(sorted, shift.x);
            count = count + 1u;
        }
        // Lane 4 sees no horizontal shift.
        if (power.y > least2 && k > 0u) {
            shifts4[k] = shift.y;
            sorted = insert(sorted, shift.y);
            count = count + 1u;
        }
    }
    if (f32(count) < block.limits.y) {
        return;
    }
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
    var total = agreement(shifts.x, middle, shifts.x < HUGE) + agreement(shifts4.x, middle, shifts4.x < HUGE);
    total = total + agreement(shifts.y, middle, shifts.y < HUGE);
    total = total + agreement(shifts4.y, middle, shifts4.y < HUGE);
    total = total + agreement(shifts.z, middle, shifts.z < HUGE);
    total = total + agreement(shifts4.z, middle, shifts4.z < HUGE);
    total = total + agreement(shifts.w, middle, shifts.w < HUGE);
    total = total + agreement(shifts4.w, middle, shifts4.w < HUGE);
    out[place] = found;
    confidence[place] = total * 0.142857149;
}
