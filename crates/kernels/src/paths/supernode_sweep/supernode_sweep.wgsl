// Distances from some nodes to all, up and down a tree of separators. The contract is in mod.rs.

const ROWS: u32 = 8u;

// Zero at every source, infinity elsewhere.
@compute @workgroup_size(64, 4)
fn begin(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.width || id.y >= block.nodes) {
        return;
    }
    var value = block.infinity;
    if (id.x < block.count && sources[id.x] == id.y) {
        value = 0.0;
    }
    up[id.y * block.width + id.x] = value;
}

@compute @workgroup_size(64)
fn climb(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let task = 3u * (block.first_task + group.x);
    let entry = 8u * tasks[task];
    let row = tasks[task + 1u];
    let column = tasks[task + 2u] + t;
    let first = entries[entry];
    let own = entries[entry + 1u];
    let places = entries[entry + 2u];
    let count = entries[entry + 3u];
    let lengths = entries[entry + 5u];
    if (column >= entries[entry + 7u]) {
        return;
    }
    var best: array<f32, 8>;
    for (var i = 0u; i < ROWS; i = i + 1u) {
        best[i] = block.infinity;
        if (row + i < count) {
            best[i] = up[boundary[places + row + i] * block.width + column];
        }
    }
    for (var k = 0u; k < own; k = k + 1u) {
        let start = up[(first + k) * block.width + column];
        for (var i = 0u; i < ROWS; i = i + 1u) {
            // Behind the last row a length of another is read, and not used.
            best[i] = min(best[i], coupling[lengths + k * count + min(row + i, count - 1u)] + start);
        }
    }
    for (var i = 0u; i < ROWS; i = i + 1u) {
        if (row + i < count) {
            up[boundary[places + row + i] * block.width + column] = best[i];
        }
    }
}
