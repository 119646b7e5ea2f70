// The image's derivative along x without its factor, for packs of one sample.
fn derivative_x(row: u32, x: u32) -> f32 {
    return derivative(row + x, x, block.size.x, 1u);
}

fn exponentials(x: f32) -> f32 {
    return exponential(x);
}
