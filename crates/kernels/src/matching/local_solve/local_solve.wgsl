// Every voxel's own equations. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;

@compute @workgroup_size(256)
fn local_solve(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    var found = vec3<f32>();
    if (COMPONENTS == 2u) {
        let p = t_0[i] + block.ridge;
        let q = t_1[i];
        let r = t_2[i] + block.ridge;
        let determinant = p * r - q * q;
        if (determinant > 0.0) {
            found.x = (r * t_3[i] - q * t_4[i]) / determinant;
            found.y = (p * t_4[i] - q * t_3[i]) / determinant;
        }
        out_x[i] = found.x;
        out_y[i] = found.y;
        return;
    }
    let p = t_0[i] + block.ridge;
    let q = t_1[i];
    let r = t_2[i];
    let s = t_3[i] + block.ridge;
    let t = t_4[i];
    let u = t_5[i] + block.ridge;
    let a = s * u - t * t;
    let b = r * t - q * u;
    let c = q * t - r * s;
    let d = p * u - r * r;
    let e = q * r - p * t;
    let f = p * s - q * q;
    let determinant = p * a + q * b + r * c;
    if (determinant > 0.0) {
        found.x = (a * t_6[i] + b * t_7[i] + c * t_8[i]) / determinant;
        found.y = (b * t_6[i] + d * t_7[i] + e * t_8[i]) / determinant;
        found.z = (c * t_6[i] + e * t_7[i] + f * t_8[i]) / determinant;
    }
    out_x[i] = found.x;
    out_y[i] = found.y;
    out_z[i] = found.z;
}
