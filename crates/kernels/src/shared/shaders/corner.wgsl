// Bilinear interpolation between pixels.

// The four pixels around a position: index of the first one, steps from there to the right and down, and the weights of
// the right and of the lower pixels.
struct Corner {
    index: u32,
    right: u32,
    down: u32,
    weight: vec2<f32>,
}

// The corner at the displacement `d`, which must not be NaN, from a pixel; one outside the image is moved to the border.
// What is rounded is the displacement, not the position: the same displacement gives the same weights everywhere.
fn corner_of(origin: vec2<u32>, d: vec2<f32>, size: vec2<u32>) -> Corner {
    let first = vec2<i32>(origin);
    let last = vec2<i32>(size) - vec2<i32>(1);
    let clamped = clamp(d, vec2<f32>(-first), vec2<f32>(last - first));
    let low = min(first + vec2<i32>(floor(clamped)), max(last - vec2<i32>(1), vec2<i32>()));
    let step = vec2<u32>(min(low + vec2<i32>(1), last) - low);
    let weight = clamped - vec2<f32>(low - first);
    return Corner(u32(low.y) * size.x + u32(low.x), step.x, step.y * size.x, weight);
}
