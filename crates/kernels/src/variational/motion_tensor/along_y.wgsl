// The motion tensor, smoothed along y as soon as its products are computed. The contract is in mod.rs. `smooth.wgsl`
// smooths it along the other axes. A workgroup moves down a strip of a few planes (the march), one or two rows per
// turn. Each thread computes the products of its column, smooths them along y in registers and stores each output when
// it is complete. This part follows `products.wgsl`.

// Number of output channels; the last one is tt, if it is wanted.
override CHANNELS: u32 = 9u;
override RADIUS_Y: u32 = 0u;
// The channels that this launch computes, a bit mask: 1 the first four, 2 the next four (3-D), 4 the rest.
override PARTS: u32 = 7u;
// 1: the neighbours along x and z are read from workgroup memory (single pair only).
override MEANS: u32 = 0u;
// Columns per strip.
override STRIP: u32 = 64u;
// Number of planes of a workgroup, and number of planes around them that each thread loads a sample of.
override PLANES: u32 = 1u;
override BESIDE: u32 = 0u;
// Rows per turn of the march, 1 or 2.
override ROWS: u32 = 1u;

fn store_out(channel: u32, i: u32, value: f32) {
    switch channel {
        case 0u: { out_0[i] = value; }
        case 1u: { out_1[i] = value; }
        case 2u: { out_2[i] = value; }
        case 3u: { out_3[i] = value; }
        case 4u: { out_4[i] = value; }
        case 5u: { out_5[i] = value; }
        case 6u: { out_6[i] = value; }
        case 7u: { out_7[i] = value; }
        case 8u: { out_8[i] = value; }
        default: { out_9[i] = value; }
    }
}

// The state of a thread and one pair on the march along y: twice the mean of both images, from two rows before to two
// rows after; the difference of the images here, one row after and two rows after.
struct Column {
    far_before: f32,
    before: f32,
    here: f32,
    after: f32,
    far_after: f32,
    difference: f32,
    difference_after: f32,
    difference_far: f32,
}

// The column moved on by one row, given the samples of both images two rows after the new row.
fn advanced(column: Column, fixed: f32, warped: f32) -> Column {
    let difference = warped - fixed;
    let entering = twice_mean(fixed, warped);
    return Column(
        column.before,
        column.here,
        column.after,
        column.far_after,
        entering,
        column.difference_after,
        column.difference_far,
        difference,
    );
}

// The same, with the samples loaded: `i` is the voxel two rows after the new row.
fn advance(pair: u32, column: Column, i: u32) -> Column {
    return advanced(column, fixed_at(pair, i), warped_at(pair, i));
}

// The columns of up to three pairs.
struct Columns {
    first: Column,
    second: Column,
    third: Column,
}

// The columns of all pairs, moved on by one row: `i` is the voxel two rows after the new row.
fn advance_all(columns: Columns, i: u32) -> Columns {
    var next = columns;
    next.first = advance(0u, columns.first, i);
    if (PAIRS > 1u) {
        next.second = advance(1u, columns.second, i);
    }
    if (PAIRS > 2u) {
        next.third = advance(2u, columns.third, i);
    }
    return next;
}

fn over_y(column: Column) -> f32 {
    return column.far_before - column.far_after + 8.0 * (column.after - column.before);
}

fn column_products(pair: u32, column: Column, i: u32, to: Around) -> Channels {
    let over = vec3<f32>(differ(pair, i, to.x), over_y(column), over_z(pair, i, to));
    return products(i, column.difference, over);
}

// The sum of the products of all pairs.
fn columns_products(columns: Columns, i: u32, to: Around) -> Channels {
    var row = column_products(0u, columns.first, i, to);
    if (PAIRS > 1u) {
        row = sum_of(row, column_products(1u, columns.second, i, to));
    }
    if (PAIRS > 2u) {
        row = sum_of(row, column_products(2u, columns.third, i, to));
    }
    return row;
}

// Twice the means of both images, for the rows of two turns of the march (this one and the next), in the workgroup's
// planes and two planes on either side, with two more columns on either side. The neighbours along x and z of a single
// pair are read from here.
const MEAN_ROW: u32 = 512u;
var<workgroup> means: array<f32, 2048>;

// Index in `means` at which row `nth` of a turn begins.
fn mean_row(turn: u32, nth: u32) -> u32 {
    return MEAN_ROW * (ROWS * (turn & 1u) + nth);
}

// Distance of two planes in `means`.
fn mean_stride() -> u32 {
    return STRIP + 4u;
}

// The plane in `means` that a thread fills in addition to its own, as its `k`-th: the two before the workgroup's
// planes, then the two after.
fn beside_slot(plane: u32, k: u32) -> u32 {
    let nth = plane + k * PLANES;
    return select(nth, nth + PLANES, nth > 1u);
}

// The differences along x and z around index `at` of `means`. Columns beyond the border hold the border's samples.
fn over_means(at: u32) -> vec2<f32> {
    let x = means[at - 2u] - means[at + 2u] + 8.0 * (means[at + 1u] - means[at - 1u]);
    if (COMPONENTS == 2u) {
        return vec2<f32>(x, 0.0);
    }
    let plane = mean_stride();
    let z = means[at - 2u * plane] - means[at + 2u * plane] + 8.0 * (means[at + plane] - means[at - plane]);
    return vec2<f32>(x, z);
}

fn tap_y(k: i32) -> f32 {
    let at = u32(abs(k));
    return block.taps_y[at >> 2u][at & 3u];
}

// Index of the first channel of the rest (`Channels::c`).
fn first_left() -> u32 {
    return 4u * (COMPONENTS - 1u);
}

// Stores the channels of a voxel that this launch computes.
fn store(i: u32, done: Channels) {
    if ((PARTS & 1u) != 0u) {
        store_out(0u, i, done.a.x);
        store_out(1u, i, done.a.y);
        store_out(2u, i, done.a.z);
        store_out(3u, i, done.a.w);
    }
    if ((PARTS & 2u) != 0u) {
        store_out(4u, i, done.b.x);
        store_out(5u, i, done.b.y);
        store_out(6u, i, done.b.z);
        store_out(7u, i, done.b.w);
    }
    if ((PARTS & 4u) != 0u) {
        store_out(first_left(), i, done.c.x);
        if (CHANNELS > first_left() + 1u) {
            store_out(first_left() + 1u, i, done.c.y);
        }
    }
}

// Adds a row to the outputs in progress, of which the oldest is the first; removes and returns that one, which is now
// complete.
fn completed(
    row: Channels,
    ahead_a: ptr<function, array<vec4<f32>, 16>>,
    ahead_b: ptr<function, array<vec4<f32>, 16>>,
    ahead_c: ptr<function, array<vec2<f32>, 16>>,
) -> Channels {
    let outermost = tap_y(i32(RADIUS_Y));
    var done = Channels(outermost * row.a, outermost * row.b, outermost * row.c);
    if (RADIUS_Y > 0u) {
        let last = done;
        done = sum_of(done, Channels((*ahead_a)[0], (*ahead_b)[0], (*ahead_c)[0]));
        for (var j = 0u; j < max(2u * RADIUS_Y, 1u) - 1u; j = j + 1u) {
            let tap = tap_y(i32(RADIUS_Y) - 1 - i32(j));
            if ((PARTS & 1u) != 0u) {
                (*ahead_a)[j] = (*ahead_a)[j + 1u] + tap * row.a;
            }
            if ((PARTS & 2u) != 0u) {
                (*ahead_b)[j] = (*ahead_b)[j + 1u] + tap * row.b;
            }
            if ((PARTS & 4u) != 0u) {
                (*ahead_c)[j] = (*ahead_c)[j + 1u] + tap * row.c;
            }
        }
        (*ahead_a)[max(2u * RADIUS_Y, 1u) - 1u] = last.a;
        (*ahead_b)[max(2u * RADIUS_Y, 1u) - 1u] = last.b;
        (*ahead_c)[max(2u * RADIUS_Y, 1u) - 1u] = last.c;
    }
    return done;
}

// The row that the march visits after row `y`. `at` is the position of row `y` in the march, counted from RADIUS_Y rows
// before the first row of the image. Beyond the border the march stays on the border's row.
fn row_after(y: u32, at: u32) -> u32 {
    return y + select(0u, 1u, at >= RADIUS_Y && y + 1u < block.size.y);
}

// The places in `means` that a thread fills, and the voxels it loads for them: its own; in the planes around
// (`beside`); and, for the first four threads of a plane, in the columns around (`edge`).
struct Places {
    own: u32,
    edge: u32,
    edge_place: u32,
    beside: array<u32, 4>,
    beside_place: array<u32, 4>,
}

// `first`: the workgroup's first voxel; `local`: the thread in the workgroup; `at`: the thread's x, and its voxel in
// row 0.
fn places_of(first: vec3<u32>, local: vec2<u32>, at: vec2<u32>) -> Places {
    let size = block.size;
    let lane = local.x;
    let beyond = select(lane, lane + STRIP, lane > 1u);
    var places: Places;
    places.own = (local.y + select(0u, 2u, COMPONENTS == 3u)) * mean_stride() + lane + 2u;
    places.edge_place = places.own - lane - 2u + beyond;
    places.edge = at.y - at.x + min(max(first.x + beyond, 2u) - 2u, size.x - 1u);
    for (var k = 0u; k < BESIDE; k = k + 1u) {
        let slot = beside_slot(local.y, k);
        places.beside[k] = min(max(first.z + slot, 2u) - 2u, size.z - 1u) * size.x * size.y + at.x;
        places.beside_place[k] = slot * mean_stride() + lane + 2u;
    }
    return places;
}

// Fills `means` for the first turn. `rows.x` is the first row, `rows.y` its position as in `row_after`.
fn fill_first(places: Places, column: Column, rows: vec2<u32>, lane: u32) {
    var there = rows.x;
    for (var nth = 0u; nth < ROWS; nth = nth + 1u) {
        let at = mean_row(0u, nth);
        means[at + places.own] = select(column.after, column.here, there == rows.x);
        if (lane < 4u) {
            means[at + places.edge_place] = both(0u, places.edge + there * block.size.x);
        }
        for (var k = 0u; k < BESIDE; k = k + 1u) {
            means[at + places.beside_place[k]] = both(0u, places.beside[k] + there * block.size.x);
        }
        there = row_after(there, rows.y);
    }
}

@compute @workgroup_size(STRIP, PLANES)
fn along_y(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let size = block.size;
    let lane = local.x;
    let first_x = group.x * STRIP;
    let first_z = group.z * PLANES;
    let x = min(first_x + lane, size.x - 1u);
    let z = min(first_z + local.y, size.z - 1u);
    let is_any = first_x + lane < size.x && first_z + local.y < size.z;
    let to = around(x, z);
    let base = z * size.x * size.y + x;
    let first_y = group.y * size.w;
    let rows = min(size.w, size.y - first_y);
    var y = first_y - min(first_y, RADIUS_Y);
    var columns: Columns;
    if (SCHEME == 1u) {
        for (var k = 0u; k < 5u; k = k + 1u) {
            columns = advance_all(columns, base + min(y + k - min(y + k, 2u), size.y - 1u) * size.x);
        }
    }
    var places: Places;
    if (MEANS == 1u) {
        places = places_of(vec3<u32>(first_x, y, first_z), local.xy, vec2<u32>(x, base));
        fill_first(places, columns.first, vec2<u32>(y, first_y), lane);
        workgroupBarrier();
    }
    // Partial sums of the outputs in progress; the oldest output is the first.
    var ahead_a: array<vec4<f32>, 16>;
    var ahead_b: array<vec4<f32>, 16>;
    var ahead_c: array<vec2<f32>, 16>;
    let steps = rows + 2u * RADIUS_Y;
    for (var turn = 0u; turn * ROWS < steps; turn = turn + 1u) {
        // The rows of this turn and of the next one.
        var row_at: array<u32, 4>;
        row_at[0] = y;
        for (var k = 0u; k < 2u * ROWS - 1u; k = k + 1u) {
            row_at[k + 1u] = row_after(row_at[k], first_y + turn * ROWS + k);
        }
        // The samples for the next turn are loaded before this turn is computed, and used after it.
        var fixed_entering: array<f32, 2>;
        var warped_entering: array<f32, 2>;
        var fixed_beside: array<f32, 8>;
        var warped_beside: array<f32, 8>;
        var fixed_edge: array<f32, 2>;
        var warped_edge: array<f32, 2>;
        if (MEANS == 1u) {
            for (var nth = 0u; nth < ROWS; nth = nth + 1u) {
                let entering = base + min(row_at[nth + 1u] + 2u, size.y - 1u) * size.x;
                fixed_entering[nth] = fixed_0[entering];
                warped_entering[nth] = warped_0[entering];
                let there = row_at[nth + ROWS] * size.x;
                for (var k = 0u; k < BESIDE; k = k + 1u) {
                    fixed_beside[4u * nth + k] = fixed_0[places.beside[k] + there];
                    warped_beside[4u * nth + k] = warped_0[places.beside[k] + there];
                }
                if (lane < 4u) {
                    fixed_edge[nth] = fixed_0[places.edge + there];
                    warped_edge[nth] = warped_0[places.edge + there];
                }
            }
        }
        for (var nth = 0u; nth < ROWS; nth = nth + 1u) {
            let step = turn * ROWS + nth;
            let i = base + row_at[nth] * size.x;
            var row: Channels;
            if (SCHEME != 1u) {
                row = all_products(i, to, row_at[nth]);
            } else if (MEANS == 1u) {
                let over = over_means(mean_row(turn, nth) + places.own);
                row = products(i, columns.first.difference, vec3<f32>(over.x, over_y(columns.first), over.y));
            } else {
                row = columns_products(columns, i, to);
            }
            let done = completed(row, &ahead_a, &ahead_b, &ahead_c);
            if (step >= 2u * RADIUS_Y && step < steps && is_any) {
                store(base + (first_y + step - 2u * RADIUS_Y) * size.x, done);
            }
            // Beyond the border the row stays the same, and so does the column.
            if (row_at[nth + 1u] != row_at[nth] && MEANS == 1u) {
                columns.first = advanced(columns.first, fixed_entering[nth], warped_entering[nth]);
            } else if (row_at[nth + 1u] != row_at[nth] && SCHEME == 1u) {
                columns = advance_all(columns, base + min(row_at[nth + 1u] + 2u, size.y - 1u) * size.x);
            }
        }
        y = row_at[ROWS];
        if (MEANS == 1u) {
            for (var nth = 0u; nth < ROWS; nth = nth + 1u) {
                let at = mean_row(turn + 1u, nth);
                means[at + places.own] = select(columns.first.after, columns.first.here, row_at[nth + ROWS] == y);
                if (lane < 4u) {
                    means[at + places.edge_place] = twice_mean(fixed_edge[nth], warped_edge[nth]);
                }
                for (var k = 0u; k < BESIDE; k = k + 1u) {
                    means[at + places.beside_place[k]] = twice_mean(fixed_beside[4u * nth + k], warped_beside[4u * nth + k]);
                }
            }
            workgroupBarrier();
        }
    }
}
