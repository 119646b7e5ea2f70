// Reduces the confidence by the residual of the composed forward and backward flows. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;

@compute @workgroup_size(256)
fn weigh_by_residual(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var sum = 0.0;
    var count = 0.0;
    let own = own_items(group.x, groups.x, block.count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        var length2 = residual_x[i] * residual_x[i] + residual_y[i] * residual_y[i];
        if (COMPONENTS == 3u) {
            length2 = length2 + residual_z[i] * residual_z[i];
        }
        if (is_nan(length2)) {
            confidence[i] = 0.0;
        } else {
            confidence[i] = confidence[i] / (1.0 + length2 * block.per_half2);
            sum = sum + sqrt(length2);
            count = count + 1.0;
        }
    }
    let total = workgroup_sum(sum, lane);
    let number = workgroup_sum(count, lane);
    if (lane == 0u) {
        sums[2u * group.x] = total;
        sums[2u * group.x + 1u] = number;
    }
}
