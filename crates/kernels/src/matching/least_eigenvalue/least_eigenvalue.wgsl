// How much the data determine: the contract is in mod.rs. After plane.wgsl.

override COMPONENTS: u32 = 3u;
// 1: where the weight sum is 0 the displacement becomes NaN.
override WEIGHTED: u32 = 0u;
// Of Newton's method.
override STEPS: u32 = 10u;

fn least_of_space(p: f32, q: f32, r: f32, s: f32, t: f32, u: f32) -> f32 {
    let trace = p + s + u;
    let minors = s * u - t * t + p * u - r * r + p * s - q * q;
    let determinant = p * (s * u - t * t) + q * (r * t - q * u) + r * (q * t - r * s);
    var root = 0.0;
    for (var step = 0u; step < STEPS; step = step + 1u) {
        let slope = minors - root * (2.0 * trace - 3.0 * root);
        let left = determinant - root * (minors - root * (trace - root));
        if (left > 0.0 && slope > 0.0) {
            root = root + left / slope;
        }
    }
    return root;
}

@compute @workgroup_size(256)
fn least_eigenvalue(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    var least = 0.0;
    if (COMPONENTS == 2u) {
        least = least_of_plane(t_0[i], t_1[i], t_2[i]);
    } else {
        least = least_of_space(t_0[i], t_1[i], t_2[i], t_3[i], t_4[i], t_5[i]);
    }
    if (!(least > 0.0)) {
        least = 0.0;
    }
    confidence[i] = confidence[i] * least / (least + block.half);
    if (WEIGHTED == 1u) {
        if (!(weight_sum[i] > 0.0)) {
            d_x[i] = not_a_number();
            d_y[i] = not_a_number();
            if (COMPONENTS == 3u) {
                d_z[i] = not_a_number();
            }
            confidence[i] = 0.0;
        }
    }
}
