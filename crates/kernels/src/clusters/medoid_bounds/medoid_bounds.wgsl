// Least costs of nodes as medoids. The contract is in mod.rs.

struct Block {
    nodes: u32,
    parts: u32,
    infinity: f32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> rows: array<f32>;
@group(0) @binding(2) var<storage, read> row_of: array<u32>;
@group(0) @binding(3) var<storage, read> candidates: array<u32>;
@group(0) @binding(4) var<storage, read> costs: array<f32>;
@group(0) @binding(5) var<storage, read> begins: array<u32>;
@group(0) @binding(6) var<storage, read> totals: array<f32>;
@group(0) @binding(7) var<storage, read> labels: array<u32>;
@group(0) @binding(8) var<storage, read_write> bounds: array<f32>;

@compute @workgroup_size(256)
fn medoid_bounds(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let node = line_index(id, groups);
    if (node >= block.nodes) {
        return;
    }
    let part = labels[node];
    var bound = bounds[node];
    if (bound == block.infinity || part >= block.parts) {
        return;
    }
    let total = totals[part];
    for (var nth = begins[part]; nth < begins[part + 1u]; nth = nth + 1u) {
        let least = abs(total * rows[row_of[nth] * block.nodes + node] - costs[nth]);
        bound = max(bound, least);
        if (candidates[nth] == node) {
            bound = block.infinity;
        }
    }
    bounds[node] = bound;
}
