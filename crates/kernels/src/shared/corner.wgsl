// A position between pixels.

// The four pixels around a position: the first, steps to the others, weights of these.
struct Corner {
    index: u32,
    right: u32,
    down: u32,
    weight: vec2<f32>,
}

// Of a position that is not NaN; outside it moves to the border.
fn corner_of(at: vec2<f32>, size: vec2<u32>) -> Corner {
    let clamped = clamp(at, vec2<f32>(), vec2<f32>(size - vec2<u32>(1u)));
    let low = min(vec2<u32>(clamped), max(size, vec2<u32>(2u)) - vec2<u32>(2u));
    let step = min(low + vec2<u32>(1u), size - vec2<u32>(1u)) - low;
    return Corner(low.y * size.x + low.x, step.x, step.y * size.x, clamped - vec2<f32>(low));
}
