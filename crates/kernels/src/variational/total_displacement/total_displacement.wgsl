// Converts displacements in edges, on top of an affine map, to total displacements in voxels, and back. The contract is
// in mod.rs.

override COMPONENTS: u32 = 3u;

@compute @workgroup_size(32, 4)
fn to_voxels(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.size.x || id.y >= block.size.y) {
        return;
    }
    let i = (id.z * block.size.y + id.y) * block.size.x + id.x;
    let x = along(id.x);
    let yz = vec2<f32>(f32(id.y), f32(id.z));
    let dx = field_x[i];
    let dy = field_y[i];
    var dz = Pack();
    if (COMPONENTS == 3u) {
        dz = field_z[i];
    }
    field_x[i] = moved(row(block.base_x, x, yz), block.linear_x, dx, dy, dz);
    field_y[i] = moved(row(block.base_y, x, yz), block.linear_y, dx, dy, dz);
    if (COMPONENTS == 3u) {
        field_z[i] = moved(row(block.base_z, x, yz), block.linear_z, dx, dy, dz);
    }
}

fn row(base: vec4<f32>, x: Pack, yz: vec2<f32>) -> Pack {
    if (COMPONENTS == 2u) {
        return base.w + base.x * x + base.y * yz.x;
    }
    return base.w + base.x * x + base.y * yz.x + base.z * yz.y;
}

fn moved(start: Pack, linear: vec4<f32>, dx: Pack, dy: Pack, dz: Pack) -> Pack {
    if (COMPONENTS == 2u) {
        return start + linear.x * dx + linear.y * dy;
    }
    return start + linear.x * dx + linear.y * dy + linear.z * dz;
}

@compute @workgroup_size(32, 4)
fn from_voxels(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.size.x || id.y >= block.size.y) {
        return;
    }
    let i = (id.z * block.size.y + id.y) * block.size.x + id.x;
    field_x[i] = block.linear_x.x * field_x[i];
    field_y[i] = block.linear_y.y * field_y[i];
    if (COMPONENTS == 3u) {
        field_z[i] = block.linear_z.z * field_z[i];
    }
}
