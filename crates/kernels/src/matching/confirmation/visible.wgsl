// Which voxels nothing else hides. The contract is in mod.rs. Needs nan.wgsl, lattice.wgsl, target.wgsl.

fn at_corner(k: u32) -> vec3<f32> {
    return vec3<f32>(confirmed_back[k], 0.0, 0.0);
}

@compute @workgroup_size(32, 4)
fn visible(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    var own = vec3<f32>(forward_x[i], forward_y[i], 0.0);
    if (COMPONENTS == 3u) {
        own.z = forward_z[i];
    }
    let cells = target_of(id, own, size);
    var back = vec3<f32>();
    if (cells.is_inside) {
        back = sampled(cells);
    }
    out[i] = select(1.0, 0.0, confirmed[i] < 0.5 && back.x > 0.5);
}
