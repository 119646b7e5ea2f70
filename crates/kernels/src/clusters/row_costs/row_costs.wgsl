// Weighted sums of rows, a workgroup each. The contract is in mod.rs.

@compute @workgroup_size(256)
fn row_costs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = row_of[group.x] * block.nodes;
    let own = part_of[group.x] * block.nodes;
    var sum = 0.0;
    for (var node = lane; node < block.nodes; node = node + 256u) {
        var way = rows[row + node];
        if (way == block.infinity) {
            way = 0.0;
        }
        sum = sum + way * weights[own + node];
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        costs[group.x] = total;
    }
}
