// Which vectors another field confirms. The contract is in mod.rs. Needs nan.wgsl, lattice.wgsl, target.wgsl.

// 1: how far a vector is from being confirmed is written.
override DOUBT: u32 = 0u;
const NOWHERE: f32 = 2.0;

fn at_corner(k: u32) -> vec3<f32> {
    var sample = vec3<f32>(backward_x[k], backward_y[k], 0.0);
    if (COMPONENTS == 3u) {
        sample.z = backward_z[k];
    }
    return sample;
}

@compute @workgroup_size(32, 4)
fn confirmation(@builtin(global_invocation_id) id: vec3<u32>) {
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
    if (!cells.is_inside) {
        out[i] = select(0.0, NOWHERE, DOUBT == 1u);
        return;
    }
    let left = own + sampled(cells);
    var distance2 = left.x * left.x;
    distance2 = distance2 + left.y * left.y;
    var length2 = own.x * own.x;
    length2 = length2 + own.y * own.y;
    if (COMPONENTS == 3u) {
        distance2 = distance2 + left.z * left.z;
        length2 = length2 + own.z * own.z;
    }
    let most = block.least + block.share * sqrt(length2);
    if (DOUBT == 1u) {
        let doubt = min(sqrt(distance2) / most, block.most) / block.most;
        out[i] = select(doubt, NOWHERE, is_nan(distance2));
        return;
    }
    out[i] = select(0.0, 1.0, !is_nan(distance2) && distance2 <= most * most);
}
