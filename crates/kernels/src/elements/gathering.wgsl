// What control points gather from the sums along rows. A kernel that needs it defines `row_sum`: the sum along x, with the
// weights of the control point at `kx` or their squares, of a row of pixels of a problem.

fn raised(w: f32, square: bool) -> f32 {
    return select(w, w * w, square);
}

fn gathered_along_y(component: u32, plane: u32, k: vec3<u32>, square: bool) -> f32 {
    let along_y = support(1u, k.y);
    let side = k.y & 1u;
    let table = pixels_before(1u);
    let first_row = plane * block.lattice.size.y;
    var before = 0.0;
    for (var y = along_y.x; y < along_y.y; y = y + 1u) {
        let w = raised(weights[table + y][2u + side], square);
        before = before + w * row_sum(component, first_row + y, k.x, square);
    }
    var after = 0.0;
    for (var y = along_y.z; y < along_y.w; y = y + 1u) {
        let w = raised(weights[table + y][side], square);
        after = after + w * row_sum(component, first_row + y, k.x, square);
    }
    return before + after;
}

// What all pixels add to a control point; weights squared if asked for.
fn gathered(component: u32, k: vec3<u32>, square: bool) -> f32 {
    if (AXES == 2u) {
        return gathered_along_y(component, 0u, k, square);
    }
    let along_z = support(2u, k.z);
    let side = k.z & 1u;
    let table = pixels_before(2u);
    var before = 0.0;
    for (var z = along_z.x; z < along_z.y; z = z + 1u) {
        before = before + raised(weights[table + z][2u + side], square) * gathered_along_y(component, z, k, square);
    }
    var after = 0.0;
    for (var z = along_z.z; z < along_z.w; z = z + 1u) {
        after = after + raised(weights[table + z][side], square) * gathered_along_y(component, z, k, square);
    }
    return before + after;
}
