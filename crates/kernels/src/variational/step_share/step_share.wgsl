// The share of a step that the cells around can take. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;

// The same as in mod.rs.
fn share(before: f32, after: f32) -> f32 {
    let target_bound = block.shares.x;
    if (after >= target_bound) {
        return 1.0;
    }
    let begin = select(before, block.shares.z, before > block.shares.z);
    if (begin <= target_bound) {
        return select(0.0, 1.0, after >= begin);
    }
    let part = block.shares.y * (begin - target_bound) / (begin - after);
    return select(0.0, part, part > 0.0);
}

// The first and the last cell along an axis around a position.
fn cells(voxel: u32, displacement: f32, count: u32) -> vec2<u32> {
    let at = select(f32(voxel) + displacement, 0.0, is_nan(displacement));
    let low = u32(clamp(at, 0.0, f32(count - 1u)));
    let reach = block.size.w;
    return vec2<u32>(max(low, reach) - reach, min(low + reach, count - 1u));
}

@compute @workgroup_size(64, 2)
fn step_share(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size.xyz;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let own = (id.z * size.y + id.y) * size.x + id.x;
    let along_x = cells(id.x, map_x[own] * block.per_edge.x, size.x);
    let along_y = cells(id.y, map_y[own] * block.per_edge.y, size.y);
    var along_z = vec2<u32>();
    if (COMPONENTS == 3u) {
        along_z = cells(id.z, map_z[own] * block.per_edge.z, size.z);
    }
    var least = 1.0;
    for (var z = along_z.x; z <= along_z.y; z = z + 1u) {
        for (var y = along_y.x; y <= along_y.y; y = y + 1u) {
            for (var x = along_x.x; x <= along_x.y; x = x + 1u) {
                let i = (z * size.y + y) * size.x + x;
                least = min(least, share(before[i], after[i]));
            }
        }
    }
    step_x[own] = step_x[own] * least;
    step_y[own] = step_y[own] * least;
    if (COMPONENTS == 3u) {
        step_z[own] = step_z[own] * least;
    }
}
