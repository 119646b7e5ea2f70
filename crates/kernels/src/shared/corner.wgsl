// Bilinear interpolation between pixels.

// The four pixels around a position: index of the first one, steps from there to the right and down, and the weights of
// the right and of the lower pixels.
struct Corner {
    index: u32,
    right: u32,
    down: u32,
    weight: vec2<f32>,
}

// The corner of a position, which must not be NaN; a position outside the image is moved to the border.
fn corner_of(at: vec2<f32>, size: vec2<u32>) -> Corner {
    let clamped = clamp(at, vec2<f32>(), vec2<f32>(size - vec2<u32>(1u)));
    let low = min(vec2<u32>(clamped), max(size, vec2<u32>(2u)) - vec2<u32>(2u));
    let step = min(low + vec2<u32>(1u), size - vec2<u32>(1u)) - low;
    return Corner(low.y * size.x + low.x, step.x, step.y * size.x, clamped - vec2<f32>(low));
}
