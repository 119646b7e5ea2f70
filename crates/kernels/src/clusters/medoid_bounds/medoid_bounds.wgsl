// Least costs of nodes as medoids. The contract is in mod.rs.

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
