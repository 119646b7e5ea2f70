// Columns in the order of elimination become rows in the order of nodes: squares of 32 by 32 through workgroup memory.
// The contract is in mod.rs.

const SIDE: u32 = 32u;

// One sample more a line: threads of a column fall on different banks.
var<workgroup> square: array<f32, 1056>;

@compute @workgroup_size(32, 8)
fn column_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) t: vec3<u32>) {
    let first_node = group.x * SIDE;
    let first_column = group.y * SIDE;
    for (var i = t.y; i < SIDE; i = i + 8u) {
        if (first_node + i < block.nodes && first_column + t.x < block.count) {
            square[i * 33u + t.x] = columns[place_of[first_node + i] * block.width + first_column + t.x];
        }
    }
    workgroupBarrier();
    for (var i = t.y; i < SIDE; i = i + 8u) {
        if (first_column + i < block.count && first_node + t.x < block.nodes) {
            rows[row_of[first_column + i] * block.nodes + first_node + t.x] = square[t.x * 33u + i];
        }
    }
}
