// Sum of |warped − fixed|, and the number of valid voxels. The contract is in mod.rs.

override WEIGHTED: u32 = 0u;

@compute @workgroup_size(256)
fn absolute_difference(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var sum = 0.0;
    var count = 0.0;
    let own = own_items(group.x, groups.x, block.count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        let difference = warped[i] - fixed[i];
        var counts = !is_nan(difference);
        if (WEIGHTED == 1u) {
            counts = counts && weight[i] > 0.0;
        }
        if (counts) {
            sum = sum + abs(difference);
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
