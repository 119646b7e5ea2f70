// Where a voxel goes, between voxels; the same as mod.rs. Needs nan.wgsl, lattice.wgsl.

override COMPONENTS: u32 = 2u;

const REACH_VOX: f32 = 0.5;

struct Cells {
    x: Cell,
    y: Cell,
    z: Cell,
    is_inside: bool,
}

fn target_of(id: vec3<u32>, vector: vec3<f32>, size: vec4<u32>) -> Cells {
    let at = vec3<f32>(f32(id.x) + vector.x, f32(id.y) + vector.y, f32(id.z) + vector.z);
    var inside = is_inside(at.x, size.x, REACH_VOX) && is_inside(at.y, size.y, REACH_VOX);
    if (COMPONENTS == 3u) {
        inside = inside && is_inside(at.z, size.z, REACH_VOX);
    }
    if (!inside) {
        let nowhere = Cell(0u, 0u, 0.0);
        return Cells(nowhere, nowhere, nowhere, false);
    }
    return Cells(cell_of(at.x, size.x), cell_of(at.y, size.y), cell_of(at.z, size.z), true);
}

// Between two samples. `(1 - weight) a + weight b` would be rounded otherwise by compilers that know an instruction for it.
fn between(a: vec3<f32>, b: vec3<f32>, weight: f32) -> vec3<f32> {
    return a + weight * (b - a);
}

fn plane(cells: Cells, z: u32) -> vec3<f32> {
    let low = (z * block.size.y + cells.y.low) * block.size.x;
    let high = (z * block.size.y + cells.y.high) * block.size.x;
    let below = between(at_corner(low + cells.x.low), at_corner(low + cells.x.high), cells.x.weight);
    let above = between(at_corner(high + cells.x.low), at_corner(high + cells.x.high), cells.x.weight);
    return between(below, above, cells.y.weight);
}

// Between the voxels around; `at_corner` is what stands at one.
fn sampled(cells: Cells) -> vec3<f32> {
    let below = plane(cells, cells.z.low);
    if (COMPONENTS == 2u) {
        return below;
    }
    return between(below, plane(cells, cells.z.high), cells.z.weight);
}
