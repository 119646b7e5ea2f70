// The steps of local normalisation before, between and after its two filters. The contract is in mod.rs.

fn deviation(i: u32) -> f32 {
    return sqrt(max(mean_square[i] - mean[i] * mean[i], 0.0));
}

// out = image²; the image is bound as `mean`.
@compute @workgroup_size(256)
fn square(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.count) {
        out[i] = mean[i] * mean[i];
    }
}

// Sums of the deviations, one for each workgroup, into `out`.
@compute @workgroup_size(256)
fn sum_deviations(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var sum = 0.0;
    let own = own_items(group.x, groups.x, block.count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        sum = sum + deviation(i);
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        out[group.x] = total;
    }
}

// Every workgroup adds all partial sums itself, so that there is no wait for the host.
@compute @workgroup_size(256)
fn normalise(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var sum = 0.0;
    for (var k = lane; k < block.parts; k = k + LINE) {
        sum = sum + sums[k];
    }
    // At least the smallest normal number, so that a flat image stays 0.
    let floor = max(block.share * workgroup_sum(sum, lane), 1.1754944e-38);
    let i = line_index(id, groups);
    if (i < block.count) {
        out[i] = (out[i] - mean[i]) / (deviation(i) + floor);
    }
}
