// Linear interpolation between voxels; the same as gather.rs. Needs nan.wgsl.

// The voxels below and above a position along an axis, and the weight of the upper one.
struct Cell {
    low: u32,
    high: u32,
    weight: f32,
}

// The cell of a position, which must not be NaN; a position outside the image is moved to the border.
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

// start + lerp(a, b, weight), written as one sum: every compiler then adds from left to right, which it might not for a
// sum of `start` and a call.
fn add_lerp(start: f32, a: f32, b: f32, weight: f32) -> f32 {
    return start + (1.0 - weight) * a + weight * b;
}

fn lerp2(a: vec2<f32>, b: vec2<f32>, weight: f32) -> vec2<f32> {
    return (1.0 - weight) * a + weight * b;
}

fn lerp4(a: vec4<f32>, b: vec4<f32>, weight: f32) -> vec4<f32> {
    return (1.0 - weight) * a + weight * b;
}
