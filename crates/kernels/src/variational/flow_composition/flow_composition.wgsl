// d1 + d2 ∘ (id + d1). The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
override KEEP_FIRST: u32 = 0u;

// Whether a position is between the centres of the outermost voxels; false for NaN.
fn is_within(at: f32, count: u32) -> bool {
    return !is_nan(at) && at >= 0.0 && at <= f32(count - 1u);
}

fn store(i: u32, own: vec3<f32>, found: vec3<f32>) {
    let sum = own + found;
    out_x[i] = select(sum.x, own.x, KEEP_FIRST == 1u && !is_finite(sum.x));
    out_y[i] = select(sum.y, own.y, KEEP_FIRST == 1u && !is_finite(sum.y));
    if (COMPONENTS == 3u) {
        out_z[i] = select(sum.z, own.z, KEEP_FIRST == 1u && !is_finite(sum.z));
    }
}

fn share_of(share: f32, up: u32) -> f32 {
    return select(1.0 - share, share, up == 1u);
}

@compute @workgroup_size(64, 4)
fn compose_flows(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    var own = vec3<f32>(first_x[i], first_y[i], 0.0);
    if (COMPONENTS == 3u) {
        own.z = first_z[i];
    }
    let at = vec3<f32>(f32(id.x) + own.x, f32(id.y) + own.y, f32(id.z) + own.z);
    if (!(is_within(at.x, size.x) && is_within(at.y, size.y) && is_within(at.z, size.z))) {
        store(i, own, vec3<f32>(not_a_number()));
        return;
    }
    let x = cell_of(at.x, size.x);
    let y = cell_of(at.y, size.y);
    let z = cell_of(at.z, size.z);
    var sum = vec3<f32>(0.0);
    for (var corner = 0u; corner < 8u; corner = corner + 1u) {
        let up = vec3<u32>(corner & 1u, (corner >> 1u) & 1u, corner >> 2u);
        let weight = share_of(z.weight, up.z) * share_of(y.weight, up.y) * share_of(x.weight, up.x);
        if (weight > 0.0) {
            let k = ((z.low + up.z) * size.y + y.low + up.y) * size.x + x.low + up.x;
            sum.x = sum.x + weight * second_x[k];
            sum.y = sum.y + weight * second_y[k];
            if (COMPONENTS == 3u) {
                sum.z = sum.z + weight * second_z[k];
            }
        }
    }
    store(i, own, sum);
}
