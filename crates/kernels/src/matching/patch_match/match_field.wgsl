// Matches as a displacement. The contract is in mod.rs. Needs packed.wgsl.

override WARPED: u32 = 0u;

fn along(at: u32, step: i32, count: u32) -> u32 {
    return u32(clamp(i32(at) + step, 0, i32(count) - 1));
}

@compute @workgroup_size(32, 4)
fn match_field(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    let vector = vector_of(matches[i]);
    let own = vec3<f32>(vector);
    var sum = own;
    if (WARPED == 1u) {
        let x = along(id.x, vector.x, size.x);
        let y = along(id.y, vector.y, size.y);
        let z = along(id.z, vector.z, size.z);
        let k = (z * size.y + y) * size.x + x;
        sum.x = own.x + base_x[k];
        sum.y = own.y + base_y[k];
        if (COMPONENTS == 3u) {
            sum.z = own.z + base_z[k];
        }
    }
    out_x[i] = sum.x;
    out_y[i] = sum.y;
    if (COMPONENTS == 3u) {
        out_z[i] = sum.z;
    }
}
