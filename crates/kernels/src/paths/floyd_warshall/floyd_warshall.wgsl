// The three phases of a block of pivots, tiles of 128 x 128, 256 threads, 8 x 8 samples a thread. The contract is in mod.rs.
//
// How four lengths are read and written, `load` and `store`, is in lengths_f32.wgsl and lengths_u16.wgsl; here they are floats, of
// which sums of 16-bit numbers are exact.
// A thread has rows 4 ty .. 4 ty + 3 and 64 more of a tile, and as many columns: with vectors of four, neighbours in a
// workgroup read neighbouring banks.

override LOWER: u32 = 0u;

// Two times eight pivots: one half is read while the other is written.
var<workgroup> left: array<vec4<f32>, 512>;
var<workgroup> right: array<vec4<f32>, 512>;
var<workgroup> turned: array<f32, 2112>;
var<workgroup> pivot_row: array<vec4<f32>, 64>;
var<workgroup> pivot_column: array<f32, 256>;

// A row of a thread.
fn row_of(ty: u32, i: u32) -> u32 {
    return ty * 4u + (i & 3u) + (i >> 2u) * 64u;
}

fn slot_of(row: u32, column: u32) -> u32 {
    return slots[row * block.side + column] * 4096u;
}

// One pivot of a tile that is in the threads' registers.
fn close_step(c: ptr<function, array<vec4<f32>, 16>>, q: u32, r: u32, m: u32, t: u32) {
    let tx = t % 16u;
    let ty = t / 16u;
    let half = r & 1u;
    if (ty == m) {
        pivot_row[half * 32u + tx] = (*c)[2u * (4u * q + r)];
        pivot_row[half * 32u + tx + 16u] = (*c)[2u * (4u * q + r) + 1u];
    }
    if (tx == m) {
        for (var i = 0u; i < 8u; i = i + 1u) {
            pivot_column[half * 128u + row_of(ty, i)] = (*c)[2u * i + q][r];
        }
    }
    workgroupBarrier();
    let b0 = pivot_row[half * 32u + tx];
    let b1 = pivot_row[half * 32u + tx + 16u];
    for (var i = 0u; i < 8u; i = i + 1u) {
        let a = vec4<f32>(pivot_column[half * 128u + row_of(ty, i)]);
        (*c)[2u * i] = min((*c)[2u * i], a + b0);
        (*c)[2u * i + 1u] = min((*c)[2u * i + 1u], a + b1);
    }
}

@compute @workgroup_size(256)
fn close(@builtin(local_invocation_index) t: u32) {
    let begin = slot_of(block.pivot, block.pivot);
    let tx = t % 16u;
    let ty = t / 16u;
    var c: array<vec4<f32>, 16>;
    for (var i = 0u; i < 8u; i = i + 1u) {
        c[2u * i] = load(begin + row_of(ty, i) * 32u + tx);
        c[2u * i + 1u] = load(begin + row_of(ty, i) * 32u + tx + 16u);
    }
    for (var m = 0u; m < 16u; m = m + 1u) {
        close_step(&c, 0u, 0u, m, t);
        close_step(&c, 0u, 1u, m, t);
        close_step(&c, 0u, 2u, m, t);
        close_step(&c, 0u, 3u, m, t);
    }
    for (var m = 0u; m < 16u; m = m + 1u) {
        close_step(&c, 1u, 0u, m, t);
        close_step(&c, 1u, 1u, m, t);
        close_step(&c, 1u, 2u, m, t);
        close_step(&c, 1u, 3u, m, t);
    }
    for (var i = 0u; i < 8u; i = i + 1u) {
        store(begin + row_of(ty, i) * 32u + tx, c[2u * i]);
        store(begin + row_of(ty, i) * 32u + tx + 16u, c[2u * i + 1u]);
    }
}

// Puts four samples of a row under one another.
fn turn(at: u32, row: u32, four: vec4<f32>) {
    turned[at * 132u + row] = four.x;
    turned[(at + 1u) * 132u + row] = four.y;
    turned[(at + 2u) * 132u + row] = four.z;
    turned[(at + 3u) * 132u + row] = four.w;
}

// The tiles of the pivots' row (group.y = 0) and of their column (1).
@compute @workgroup_size(256)
fn panels(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let p = block.pivot;
    let other = group.x + select(0u, 1u, group.x >= p);
    let is_column = select(group.y == 1u, other > p, LOWER == 1u);
    let closed = slot_of(p, p);
    var own = 0u;
    if (is_column) {
        own = slot_of(other, p);
    } else {
        own = slot_of(p, other);
    }
    let a = select(closed, own, is_column);
    let b = select(own, closed, is_column);
    let tx = t % 16u;
    let ty = t / 16u;
    var c: array<vec4<f32>, 16>;
    for (var i = 0u; i < 8u; i = i + 1u) {
        c[2u * i] = load(own + row_of(ty, i) * 32u + tx);
        c[2u * i + 1u] = load(own + row_of(ty, i) * 32u + tx + 16u);
    }
    for (var chunk = 0u; chunk < 16u; chunk = chunk + 1u) {
        workgroupBarrier();
        turn((t % 2u) * 4u, t / 2u, load(a + (t / 2u) * 32u + chunk * 2u + t % 2u));
        right[t] = load(b + chunk * 256u + t);
        workgroupBarrier();
        for (var k = 0u; k < 8u; k = k + 1u) {
            let b0 = right[k * 32u + tx];
            let b1 = right[k * 32u + tx + 16u];
            for (var i = 0u; i < 8u; i = i + 1u) {
                let length = vec4<f32>(turned[k * 132u + row_of(ty, i)]);
                c[2u * i] = min(c[2u * i], length + b0);
                c[2u * i + 1u] = min(c[2u * i + 1u], length + b1);
            }
        }
    }
    let panel = other * 4096u;
    for (var i = 0u; i < 8u; i = i + 1u) {
        let row = row_of(ty, i);
        store(own + row * 32u + tx, c[2u * i]);
        store(own + row * 32u + tx + 16u, c[2u * i + 1u]);
        if (!is_column) {
            row_panel[panel + row * 32u + tx] = c[2u * i];
            row_panel[panel + row * 32u + tx + 16u] = c[2u * i + 1u];
        }
    }
    if (is_column) {
        // Four rows of a column side by side.
        for (var half = 0u; half < 2u; half = half + 1u) {
            for (var side = 0u; side < 2u; side = side + 1u) {
                let i = 8u * half + side;
                let four0 = vec4<f32>(c[i].x, c[i + 2u].x, c[i + 4u].x, c[i + 6u].x);
                let four1 = vec4<f32>(c[i].y, c[i + 2u].y, c[i + 4u].y, c[i + 6u].y);
                let four2 = vec4<f32>(c[i].z, c[i + 2u].z, c[i + 4u].z, c[i + 6u].z);
                let four3 = vec4<f32>(c[i].w, c[i + 2u].w, c[i + 4u].w, c[i + 6u].w);
                let at = panel + (4u * tx + 64u * side) * 32u + ty + 16u * half;
                if (LOWER == 1u) {
                    row_panel[at] = four0;
                    row_panel[at + 32u] = four1;
                    row_panel[at + 64u] = four2;
                    row_panel[at + 96u] = four3;
                } else {
                    column_panel[at] = four0;
                    column_panel[at + 32u] = four1;
                    column_panel[at + 64u] = four2;
                    column_panel[at + 96u] = four3;
                }
            }
        }
    }
}

// Every other tile; half a matrix has one panel, which is both.
@compute @workgroup_size(256)
fn relax(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let task = group.y * groups.x + group.x;
    if (task >= block.tasks) {
        return;
    }
    let p = block.pivot;
    let row = tasks[2u * task] + select(0u, 1u, tasks[2u * task] >= p);
    let column = tasks[2u * task + 1u] + select(0u, 1u, tasks[2u * task + 1u] >= p);
    let own = slot_of(row, column);
    let a = row * 4096u + t;
    let b = column * 4096u + t;
    let tx = t % 16u;
    let ty = t / 16u;
    var c: array<vec4<f32>, 16>;
    for (var i = 0u; i < 8u; i = i + 1u) {
        c[2u * i] = load(own + row_of(ty, i) * 32u + tx);
        c[2u * i + 1u] = load(own + row_of(ty, i) * 32u + tx + 16u);
    }
    var next_left = vec4<f32>();
    if (LOWER == 1u) {
        next_left = row_panel[a];
    } else {
        next_left = column_panel[a];
    }
    var next_right = row_panel[b];
    left[t] = next_left;
    right[t] = next_right;
    workgroupBarrier();
    for (var chunk = 0u; chunk < 16u; chunk = chunk + 1u) {
        let start = (chunk % 2u) * 256u;
        if (chunk < 15u) {
            if (LOWER == 1u) {
                next_left = row_panel[a + (chunk + 1u) * 256u];
            } else {
                next_left = column_panel[a + (chunk + 1u) * 256u];
            }
            next_right = row_panel[b + (chunk + 1u) * 256u];
        }
        for (var k = 0u; k < 8u; k = k + 1u) {
            let b0 = right[start + k * 32u + tx];
            let b1 = right[start + k * 32u + tx + 16u];
            let a0 = left[start + k * 32u + ty];
            let a1 = left[start + k * 32u + ty + 16u];
            for (var i = 0u; i < 4u; i = i + 1u) {
                c[2u * i] = min(c[2u * i], vec4<f32>(a0[i]) + b0);
                c[2u * i + 1u] = min(c[2u * i + 1u], vec4<f32>(a0[i]) + b1);
                c[2u * i + 8u] = min(c[2u * i + 8u], vec4<f32>(a1[i]) + b0);
                c[2u * i + 9u] = min(c[2u * i + 9u], vec4<f32>(a1[i]) + b1);
            }
        }
        if (chunk < 15u) {
            left[256u - start + t] = next_left;
            right[256u - start + t] = next_right;
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 8u; i = i + 1u) {
        store(own + row_of(ty, i) * 32u + tx, c[2u * i]);
        store(own + row_of(ty, i) * 32u + tx + 16u, c[2u * i + 1u]);
    }
}
