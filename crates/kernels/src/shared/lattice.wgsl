// Interpolation between voxels (gather.rs in Rust). Needs nan.wgsl.

// Voxels on either side of a position along an axis, and the weight of the upper one.
struct Cell {
    low: u32,
    high: u32,
    weight: f32,
}

// Of a position that is not NaN; outside it moves to the border.
fn cell_of(at: f32, count: u32) -> Cell {
    let clamped = clamp(at, 0.0, f32(count - 1u));
    let low = min(u32(clamped), max(count, 2u) - 2u);
    return Cell(low, min(low + 1u, count - 1u), clamped - f32(low));
}

// Whether a position is at most `reach` beyond the outermost voxels' centres. NaN is outside.
fn is_inside(at: f32, count: u32, reach: f32) -> bool {
    return !is_nan(at) && at >= -reach && at <= f32(count - 1u) + reach;
}

// Exact at both ends: the last voxel is the upper neighbour with the weight 1.
fn lerp(a: f32, b: f32, weight: f32) -> f32 {
    return (1.0 - weight) * a + weight * b;
}

// The sum is taken from left to right, whichever compiler sees it: `start` and the rest would not be.
fn add_lerp(start: f32, a: f32, b: f32, weight: f32) -> f32 {
    return start + (1.0 - weight) * a + weight * b;
}

fn lerp2(a: vec2<f32>, b: vec2<f32>, weight: f32) -> vec2<f32> {
    return (1.0 - weight) * a + weight * b;
}

fn lerp4(a: vec4<f32>, b: vec4<f32>, weight: f32) -> vec4<f32> {
    return (1.0 - weight) * a + weight * b;
}
