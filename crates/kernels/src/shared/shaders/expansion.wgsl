// The estimate of a coarser level, expanded to the next finer level; the same as expansion.rs. Needs nan.wgsl.

// The estimate from four coarser neighbours, in pixels of the finer level: twice the mean of those that are valid; NaN
// if fewer than two are.
fn expanded(a: f32, b: f32, c: f32, d: f32) -> f32 {
    var sum = select(a, 0.0, is_nan(a));
    sum = sum + select(b, 0.0, is_nan(b));
    sum = sum + select(c, 0.0, is_nan(c));
    sum = sum + select(d, 0.0, is_nan(d));
    let count = select(1.0, 0.0, is_nan(a)) + select(1.0, 0.0, is_nan(b)) + select(1.0, 0.0, is_nan(c)) + select(1.0, 0.0, is_nan(d));
    if (count < 2.0) {
        return not_a_number();
    }
    return (sum + sum) / count;
}

// Indices of the four neighbours of a finer pixel on a coarser level of size `size`. Even coordinates lie on a coarser
// pixel, odd ones between two.
fn neighbours(at: vec2<u32>, size: vec2<u32>) -> vec4<u32> {
    let low = at >> vec2<u32>(1u);
    let high = min(low + (at & vec2<u32>(1u)), size - vec2<u32>(1u));
    return vec4<u32>(low.y * size.x + low.x, low.y * size.x + high.x, high.y * size.x + low.x, high.y * size.x + high.x);
}
