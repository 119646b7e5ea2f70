// The expected error of matches, and the confidence it makes. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
override DISTINCT: u32 = 0u;
override MASKED: u32 = 0u;

@compute @workgroup_size(64, 4)
fn match_error(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.size.x || id.y >= block.size.y) {
        return;
    }
    let i = (id.z * block.size.y + id.y) * block.size.x + id.x;
    var known = max(quality[i], 0.0);
    if (DISTINCT == 1u) {
        known = known * share[i];
    }
    let x = d_x[i] - mean_x[i];
    let y = d_y[i] - mean_y[i];
    var spread = x * x + y * y;
    if (COMPONENTS == 3u) {
        let z = d_z[i] - mean_z[i];
        spread = spread + z * z;
    }
    out[i] = spread + block.factor * (1.0 - known);
}

// Whether the window around a voxel holds any weight.
fn has_weight(at: vec3<u32>) -> bool {
    let last = block.size.xyz - vec3<u32>(1u, 1u, 1u);
    let low = max(at, block.radius.xyz) - block.radius.xyz;
    let high = min(at + block.radius.xyz, last);
    for (var z = low.z; z <= high.z; z = z + 1u) {
        for (var y = low.y; y <= high.y; y = y + 1u) {
            for (var x = low.x; x <= high.x; x = x + 1u) {
                if (share[(z * block.size.y + y) * block.size.x + x] > 0.0) {
                    return true;
                }
            }
        }
    }
    return false;
}

@compute @workgroup_size(64, 4)
fn match_confidence(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.size.x || id.y >= block.size.y) {
        return;
    }
    let i = (id.z * block.size.y + id.y) * block.size.x + id.x;
    if (MASKED == 1u) {
        if (!has_weight(id)) {
            out[i] = 0.0;
            flow_x[i] = not_a_number();
            flow_y[i] = not_a_number();
            if (COMPONENTS == 3u) {
                flow_z[i] = not_a_number();
            }
            return;
        }
    }
    let confidence = 1.0 / (1.0 + max(out[i], 0.0) * block.factor);
    out[i] = select(0.0, confidence, quality[i] > 0.02);
}
