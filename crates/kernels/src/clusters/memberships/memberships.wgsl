// The nearest medoid of each node, and its share of each. The contract is in mod.rs.

const LEAST: f32 = 1e-9;

@compute @workgroup_size(256)
fn memberships(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let node = line_index(id, groups);
    if (node >= block.nodes) {
        return;
    }
    var least = block.infinity;
    var label = 0u;
    for (var part = 0u; part < block.parts; part = part + 1u) {
        let way = distances[part * block.nodes + node];
        if (way < least) {
            least = way;
            label = part;
        }
    }
    labels[node] = label;
    var sum = 0.0;
    for (var part = 0u; part < block.parts; part = part + 1u) {
        let way = distances[part * block.nodes + node];
        let further = max(way, LEAST) / max(least, LEAST) - 1.0;
        var share = exponential(-(block.sharpness * logarithm_of_one_plus(further)));
        if (!(way < block.infinity)) {
            share = 0.0;
        }
        weights[part * block.nodes + node] = share;
        sum = sum + share;
    }
    var unit = 0.0;
    if (sum > 0.0) {
        unit = areas[node] / sum;
    }
    for (var part = 0u; part < block.parts; part = part + 1u) {
        weights[part * block.nodes + node] = weights[part * block.nodes + node] * unit;
    }
}
