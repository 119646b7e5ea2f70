// rhs_a −= ∂_aᵀ (w c). The contract is in mod.rs.

override COMPONENTS: u32 = 3u;

// `value` − half · (flux of the voxel before) + half · (flux of the voxel after). Beyond a border the flux is the
// voxel's own, negated. `axis` is position, size and stride.
fn less(value: f32, half: f32, i: u32, axis: vec3<u32>) -> f32 {
    let own = volume_weight[i] * change[i];
    var low = -own;
    var high = -own;
    if (axis.x > 0u) {
        low = volume_weight[i - axis.z] * change[i - axis.z];
    }
    if (axis.x + 1u < axis.y) {
        high = volume_weight[i + axis.z] * change[i + axis.z];
    }
    return value - half * low + half * high;
}

@compute @workgroup_size(256)
fn subtract_volume_target(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = line_index(id, groups);
    let size = block.size;
    if (i >= size.x * size.y * size.z) {
        return;
    }
    rhs0[i] = less(rhs0[i], block.half.x, i, vec3<u32>(i % size.x, size.x, 1u));
    rhs1[i] = less(rhs1[i], block.half.y, i, vec3<u32>(i / size.x % size.y, size.y, size.x));
    if (COMPONENTS == 3u) {
        rhs2[i] = less(rhs2[i], block.half.z, i, vec3<u32>(i / (size.x * size.y), size.z, size.x * size.y));
    }
}
