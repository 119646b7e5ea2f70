// Adds γ ψ'(e) J of one constraint to the tensor. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
// 1: the first constraint, which overwrites the output.
override FIRST: u32 = 1u;

fn penalty(residual: Pack) -> Pack {
    return block.gain / sqrt(Pack(1.0) + max(residual, Pack(0.0)) * block.per_epsilon2);
}

@compute @workgroup_size(256)
fn robust_tensor(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    let x = delta_x[i];
    let y = delta_y[i];
    let a = j_0[i];
    let b = j_1[i];
    let c = j_2[i];
    let d = j_3[i];
    let e = j_4[i];
    let f = j_5[i];
    if (COMPONENTS == 2u) {
        // Entries in order: 11, 12, 22, −1t, −2t, tt.
        let psi = penalty(f + a * x * x + 2.0 * b * x * y + c * y * y - 2.0 * d * x - 2.0 * e * y);
        if (FIRST == 1u) {
            out_0[i] = psi * a;
            out_1[i] = psi * b;
            out_2[i] = psi * c;
            out_3[i] = psi * d;
            out_4[i] = psi * e;
        } else {
            out_0[i] = out_0[i] + psi * a;
            out_1[i] = out_1[i] + psi * b;
            out_2[i] = out_2[i] + psi * c;
            out_3[i] = out_3[i] + psi * d;
            out_4[i] = out_4[i] + psi * e;
        }
    } else {
        // Entries in order: 11, 12, 13, 22, 23, 33, −1t, −2t, −3t, tt.
        let z = delta_z[i];
        let g = j_6[i];
        let h = j_7[i];
        let k = j_8[i];
        var residual = j_9[i] + a * x * x + 2.0 * b * x * y + 2.0 * c * x * z;
        residual = residual + d * y * y + 2.0 * e * y * z + f * z * z;
        let psi = penalty(residual - 2.0 * g * x - 2.0 * h * y - 2.0 * k * z);
        if (FIRST == 1u) {
            out_0[i] = psi * a;
            out_1[i] = psi * b;
            out_2[i] = psi * c;
            out_3[i] = psi * d;
            out_4[i] = psi * e;
            out_5[i] = psi * f;
            out_6[i] = psi * g;
            out_7[i] = psi * h;
            out_8[i] = psi * k;
        } else {
            out_0[i] = out_0[i] + psi * a;
            out_1[i] = out_1[i] + psi * b;
            out_2[i] = out_2[i] + psi * c;
            out_3[i] = out_3[i] + psi * d;
            out_4[i] = out_4[i] + psi * e;
            out_5[i] = out_5[i] + psi * f;
            out_6[i] = out_6[i] + psi * g;
            out_7[i] = out_7[i] + psi * h;
            out_8[i] = out_8[i] + psi * k;
        }
    }
}
