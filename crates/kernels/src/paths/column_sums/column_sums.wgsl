// Sums of columns, weighted by a table. The contract is in mod.rs.

const PART: u32 = 256u;
const GROUP: u32 = 64u;
const AT_ONCE: u32 = 8u;

// A part of a column, for eight columns of the table.
@compute @workgroup_size(128)
fn add_parts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let column = group.x * 128u + t;
    let first = group.z * AT_ONCE;
    if (column >= block.width) {
        return;
    }
    var found: array<f32, 8>;
    for (var j = 0u; j < AT_ONCE; j = j + 1u) {
        found[j] = 0.0;
    }
    var far = 0u;
    let end = min((group.y + 1u) * PART, block.places);
    for (var place = group.y * PART; place < end; place = place + 1u) {
        var distance = columns[place * block.width + column];
        if (distance == block.infinity) {
            distance = 0.0;
            far = far + 1u;
        }
        for (var j = 0u; j < AT_ONCE; j = j + 1u) {
            // Behind the last column of the table another is read, and not used.
            found[j] = found[j] + distance * table[place * block.count + min(first + j, block.count - 1u)];
        }
    }
    for (var j = 0u; j < AT_ONCE; j = j + 1u) {
        if (first + j < block.count) {
            part_sums[(group.y * block.count + first + j) * block.width + column] = found[j];
        }
    }
    if (first == 0u) {
        part_infinite[group.y * block.width + column] = far;
    }
}

// All parts of a column, for one column of the table.
@compute @workgroup_size(128)
fn add_columns(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let column = group.x * 128u + t;
    let j = group.y;
    if (column >= block.width) {
        return;
    }
    var total = 0.0;
    var far = 0u;
    for (var start = 0u; start < block.parts; start = start + GROUP) {
        var some = 0.0;
        for (var part = start; part < min(start + GROUP, block.parts); part = part + 1u) {
            some = some + part_sums[(part * block.count + j) * block.width + column];
            if (j == 0u) {
                far = far + part_infinite[part * block.width + column];
            }
        }
        total = total + some;
    }
    sums[j * block.width + column] = total;
    if (j == 0u) {
        infinite[column] = far;
    }
}
