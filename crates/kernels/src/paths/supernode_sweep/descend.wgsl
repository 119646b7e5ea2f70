// The way down of supernode_sweep.wgsl: eight own rows and four columns a thread. The contract is in mod.rs.

const ROWS: u32 = 8u;
const TERMS: u32 = 32u;
const THREADS: u32 = 64u;

// Lengths of the rows to some terms, term by term, and where these terms' rows begin.
var<workgroup> lengths: array<f32, 256>;
var<workgroup> begins: array<u32, 32>;

@compute @workgroup_size(64)
fn descend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let task = 2u * (block.first_task + group.y);
    let entry = 8u * tasks[task];
    let row = tasks[task + 1u];
    let first = entries[entry];
    let own = entries[entry + 1u];
    let places = entries[entry + 2u];
    let count = entries[entry + 3u];
    let inside = entries[entry + 4u] + row * own;
    let outside = entries[entry + 5u] + row * count;
    let rows = min(ROWS, own - row);
    let column = group.x * THREADS + t;
    // Threads behind the last column do the last one's work and write nothing.
    let read = min(column, block.width4 - 1u);
    var best: array<vec4<f32>, 8>;
    for (var i = 0u; i < ROWS; i = i + 1u) {
        best[i] = vec4<f32>(block.infinity);
    }
    let begin = group.x * THREADS * 4u;
    if (begin < entries[entry + 7u] && begin + THREADS * 4u > entries[entry + 6u]) {
        for (var start = 0u; start < own; start = start + TERMS) {
            let terms = min(TERMS, own - start);
            workgroupBarrier();
            for (var j = t; j < TERMS * ROWS; j = j + THREADS) {
                let k = j / ROWS;
                let i = j % ROWS;
                if (k < terms) {
                    lengths[j] = closure[inside + min(i, rows - 1u) * own + start + k];
                }
            }
            workgroupBarrier();
            for (var k = 0u; k < terms; k = k + 1u) {
                let value = up[(first + start + k) * block.width4 + read];
                for (var i = 0u; i < ROWS; i = i + 1u) {
                    best[i] = min(best[i], vec4<f32>(lengths[k * ROWS + i]) + value);
                }
            }
        }
    }
    for (var start = 0u; start < count; start = start + TERMS) {
        let terms = min(TERMS, count - start);
        workgroupBarrier();
        for (var j = t; j < TERMS * ROWS; j = j + THREADS) {
            let k = j / ROWS;
            let i = j % ROWS;
            if (k < terms) {
                lengths[j] = coupling[outside + min(i, rows - 1u) * count + start + k];
            }
        }
        if (t < terms) {
            begins[t] = boundary[places + start + t] * block.width4;
        }
        workgroupBarrier();
        for (var k = 0u; k < terms; k = k + 1u) {
            let value = down[begins[k] + read];
            for (var i = 0u; i < ROWS; i = i + 1u) {
                best[i] = min(best[i], vec4<f32>(lengths[k * ROWS + i]) + value);
            }
        }
    }
    if (column < block.width4) {
        for (var i = 0u; i < ROWS; i = i + 1u) {
            if (i < rows) {
                down[(first + row + i) * block.width4 + column] = best[i];
            }
        }
    }
}
