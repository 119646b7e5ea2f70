// Weighted sums of rows, a workgroup each. The contract is in mod.rs.

struct Block {
    nodes: u32,
    infinity: f32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> rows: array<f32>;
@group(0) @binding(2) var<storage, read> row_of: array<u32>;
@group(0) @binding(3) var<storage, read> part_of: array<u32>;
@group(0) @binding(4) var<storage, read> weights: array<f32>;
@group(0) @binding(5) var<storage, read_write> costs: array<f32>;

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
