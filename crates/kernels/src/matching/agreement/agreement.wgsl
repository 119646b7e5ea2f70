// The weight of vectors that agree. The contract is in mod.rs. Needs line.wgsl, nan.wgsl.

override COMPONENTS: u32 = 2u;

@compute @workgroup_size(256)
fn agreement(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    let x = first_x[i] - second_x[i];
    let y = first_y[i] - second_y[i];
    var distance2 = x * x;
    distance2 = distance2 + y * y;
    if (COMPONENTS == 3u) {
        let z = first_z[i] - second_z[i];
        distance2 = distance2 + z * z;
    }
    out[i] = select(0.0, weight[i], !is_nan(distance2) && distance2 < block.most);
}
