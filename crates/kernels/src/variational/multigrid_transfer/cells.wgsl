// The range of fine cells in a coarse cell along an axis: first, and last + 1.
fn cells(cell: u32, fine: u32, coarse: u32) -> vec2<u32> {
    if (fine == coarse) {
        return vec2<u32>(cell, cell + 1u);
    }
    return vec2<u32>(2u * cell, select(2u * cell + 2u, fine, cell + 1u == coarse));
}
