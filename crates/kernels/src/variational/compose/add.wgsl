// d + δ. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;

@compute @workgroup_size(256)
fn add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.items) {
        increment_x[i] = increment_x[i] + displacement_x[i];
        increment_y[i] = increment_y[i] + displacement_y[i];
        if (COMPONENTS == 3u) {
            increment_z[i] = increment_z[i] + displacement_z[i];
        }
    }
}
