// The derivative along x, for packs of one sample.
fn derivative_x(row: u32, x: u32) -> f32 {
    if (SCHEME == 0u && x + 1u == block.size.x) {
        return 0.0;
    }
    return derivative(row + x, vec3<u32>(x, block.size.x, 1u));
}
