// Columns in the order of elimination become rows in the order of nodes: squares of 32 by 32 through workgroup memory.
// The contract is in mod.rs.

struct Block {
    width: u32,
    nodes: u32,
    count: u32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> columns: array<f32>;
@group(0) @binding(2) var<storage, read> place_of: array<u32>;
@group(0) @binding(3) var<storage, read> row_of: array<u32>;
@group(0) @binding(4) var<storage, read_write> rows: array<f32>;

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
