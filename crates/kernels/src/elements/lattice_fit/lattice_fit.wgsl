// A field to control points. The contract is in mod.rs.

fn control(component: u32, at: u32) -> f32 {
    return 0.0;
}

fn field_at(component: u32, i: u32) -> f32 {
    if (component == 0u) {
        return field_x[i];
    }
    if (component == 1u) {
        return field_y[i];
    }
    return field_z[i];
}

// The pixels around a control point's place along an axis.
fn cell_around(axis: u32, k: u32) -> Cell {
    let third = 0.33333334;
    let place = f32(k >> 1u) + select(-third, third, (k & 1u) == 1u);
    return cell_of((place - block.start[axis]) * block.per_element[axis], block.lattice.size[axis]);
}

fn along_row(component: u32, row: u32, x: Cell) -> f32 {
    return lerp(field_at(component, row + x.low), field_at(component, row + x.high), x.weight);
}

fn on_plane(component: u32, plane: u32, x: Cell, y: Cell) -> f32 {
    let nx = block.lattice.size.x;
    return lerp(along_row(component, plane + y.low * nx, x), along_row(component, plane + y.high * nx, x), y.weight);
}

@compute @workgroup_size(256)
fn lattice_fit(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let per_component = block.lattice.controls.w;
    let unknowns = COMPONENTS * per_component;
    let begin = problem * block.lattice.size.w;
    let plane = block.lattice.size.x * block.lattice.size.y;
    for (var i = group.x * LINE + lane; i < unknowns; i = i + block.lattice.counts.z * LINE) {
        let component = i / per_component;
        let k = control_at(i % per_component);
        let x = cell_around(0u, k.x);
        let y = cell_around(1u, k.y);
        var value = 0.0;
        if (AXES == 2u) {
            value = on_plane(component, begin, x, y);
        } else {
            let z = cell_around(2u, k.z);
            let low = on_plane(component, begin + z.low * plane, x, y);
            value = lerp(low, on_plane(component, begin + z.high * plane, x, y), z.weight);
        }
        controls[(block.lattice.counts.x + problem) * unknowns + i] = block.factor[component] * value;
    }
}
