// The image's derivative along x, before its gain, sample by sample.
fn derivative_x(row: u32, x: u32) -> f32 {
    return derivative(row + x, x, block.size.x, 1u);
}

fn exponentials(x: f32) -> f32 {
    return exponential(x);
}
