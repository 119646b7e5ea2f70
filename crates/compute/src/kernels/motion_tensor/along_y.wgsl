// The motion tensor, smoothed along y while its derivatives are at hand: the contract is mod.rs's; `smooth.wgsl` smooths it
// along the other axes. A workgroup marches down a strip of a few planes: each thread makes the products of its column,
// smooths them along y in registers and stores what is complete. Follows `products.wgsl`.

// Channels of the output; the last is tt if it is wanted.
override CHANNELS: u32 = 9u;
override RADIUS_Y: u32 = 0u;
// Which parts of the channels this launch makes: 1 the first four, 2 the next four (3-D), 4 what is left.
override PARTS: u32 = 7u;
// Whether a single pair's neighbours along x and z come from workgroup memory.
override MEANS: u32 = 0u;
// Columns of a strip.
override STRIP: u32 = 64u;
// Planes that a workgroup marches down together, and how often each of them looks up another one around them.
override PLANES: u32 = 1u;
override TURNS: u32 = 0u;
// Rows of a turn of the march.
override ROWS: u32 = 1u;

@group(0) @binding(9) var<storage, read_write> out_0: array<f32>;
@group(0) @binding(10) var<storage, read_write> out_1: array<f32>;
@group(0) @binding(11) var<storage, read_write> out_2: array<f32>;
@group(0) @binding(12) var<storage, read_write> out_3: array<f32>;
@group(0) @binding(13) var<storage, read_write> out_4: array<f32>;
@group(0) @binding(14) var<storage, read_write> out_5: array<f32>;
@group(0) @binding(15) var<storage, read_write> out_6: array<f32>;
@group(0) @binding(16) var<storage, read_write> out_7: array<f32>;
@group(0) @binding(17) var<storage, read_write> out_8: array<f32>;
@group(0) @binding(18) var<storage, read_write> out_9: array<f32>;

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

// What a thread that marches along y keeps of a pair: the mean of both images, twice, two rows before to two rows after, and
// the difference of the images here and after.
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

// One row further, with what both images are two rows after.
fn advanced(column: Column, fixed: f32, warped: f32) -> Column {
    let difference = warped - fixed;
    let entering = fixed + select(warped, fixed, is_nan(warped));
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

// The same: `i` is the voxel two rows after.
fn advance(pair: u32, column: Column, i: u32) -> Column {
    return advanced(column, fixed_at(pair, i), warped_at(pair, i));
}

fn over_y(column: Column) -> f32 {
    return column.far_before - column.far_after + 8.0 * (column.after - column.before);
}

fn column_products(pair: u32, column: Column, i: u32, to: Around) -> Channels {
    let over = vec3<f32>(differ(pair, i, to.x), over_y(column), over_z(pair, i, to));
    return products(i, column.difference, over);
}

// Twice the means of the row that is worked on and of the next one, in the workgroup's planes and the two on either side,
// with two columns more on either side: a single pair's neighbours along x and z are looked up here.
const MEAN_ROWS: u32 = 1024u;
var<workgroup> means: array<f32, 2048>;

// From a plane to the next in that memory.
fn mean_stride() -> u32 {
    return STRIP + 4u;
}

// Which plane of that memory a thread fills in turn `turn` beside its own: the two before, then the two after.
fn beside_slot(plane: u32, turn: u32) -> u32 {
    let nth = plane + turn * PLANES;
    return select(nth, nth + PLANES, nth > 1u);
}

// The differences along x and z around the place `at` in a row of means. Columns beyond the border hold the border's samples.
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

// The first of the channels that are left.
fn first_left() -> u32 {
    return 4u * (COMPONENTS - 1u);
}

// The channels of a voxel that this launch makes.
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

@compute @workgroup_size(STRIP, PLANES)
fn along_y(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let size = block.size;
    let lane = local.x;
    let first_x = group.x * STRIP;
    let first_z = group.z * PLANES;
    let plane = size.x * size.y;
    let x = min(first_x + lane, size.x - 1u);
    let z = min(first_z + local.y, size.z - 1u);
    let is_any = first_x + lane < size.x && first_z + local.y < size.z;
    let to = around(x, z);
    let base = z * plane + x;
    let first_y = group.y * size.w;
    let rows = min(size.w, size.y - first_y);
    var y = first_y - min(first_y, RADIUS_Y);
    var column_0: Column;
    var column_1: Column;
    var column_2: Column;
    if (FORWARD == 0u) {
        for (var k = 0u; k < 5u; k = k + 1u) {
            let i = base + min(y + k - min(y + k, 2u), size.y - 1u) * size.x;
            column_0 = advance(0u, column_0, i);
            if (PAIRS > 1u) {
                column_1 = advance(1u, column_1, i);
            }
            if (PAIRS > 2u) {
                column_2 = advance(2u, column_2, i);
            }
        }
    }
    // The thread's own place in the memory of means, and the voxels that it fills in beside it: of the planes around, and, by the
    // first four threads of a plane, of the columns around.
    let own = (local.y + select(0u, 2u, COMPONENTS == 3u)) * mean_stride() + lane + 2u;
    let edge_place = own - lane - 2u + select(lane, lane + STRIP, lane > 1u);
    let edge_x = min(max(first_x + select(lane, lane + STRIP, lane > 1u), 2u) - 2u, size.x - 1u);
    let edge = base - x + edge_x;
    var beside: array<u32, 4>;
    var beside_place: array<u32, 4>;
    if (MEANS == 1u) {
        means[own] = column_0.here;
        if (lane < 4u) {
            means[edge_place] = both(0u, edge + y * size.x);
        }
        for (var turn = 0u; turn < TURNS; turn = turn + 1u) {
            let slot = beside_slot(local.y, turn);
            let there = min(max(first_z + slot, 2u) - 2u, size.z - 1u);
            beside[turn] = there * plane + x;
            beside_place[turn] = slot * mean_stride() + lane + 2u;
            means[beside_place[turn]] = both(0u, beside[turn] + y * size.x);
        }
        workgroupBarrier();
    }
    // What the rows so far add to the outputs that are not complete yet; the oldest one's is the first.
    var ahead_a: array<vec4<f32>, 16>;
    var ahead_b: array<vec4<f32>, 16>;
    var ahead_c: array<vec2<f32>, 16>;
    let steps = rows + 2u * RADIUS_Y;
    for (var pace = 0u; pace < steps; pace = pace + ROWS) {
        for (var nth = 0u; nth < ROWS; nth = nth + 1u) {
            let step = pace + nth;
            let i = base + y * size.x;
            var row: Channels;
            // Rows beyond the border are the border's.
            let is_next = first_y + step >= RADIUS_Y && y + 1u < size.y;
            let next = y + select(0u, 1u, is_next);
            // What the next row needs from memory is asked for before this one is worked on, and looked at after.
            var fixed_beside: array<f32, 4>;
            var warped_beside: array<f32, 4>;
            var fixed_edge = 0.0;
            var warped_edge = 0.0;
            var fixed_entering = 0.0;
            var warped_entering = 0.0;
            if (MEANS == 1u) {
                let entering = base + min(next + 2u, size.y - 1u) * size.x;
                fixed_entering = fixed_0[entering];
                warped_entering = warped_0[entering];
                for (var turn = 0u; turn < TURNS; turn = turn + 1u) {
                    fixed_beside[turn] = fixed_0[beside[turn] + next * size.x];
                    warped_beside[turn] = warped_0[beside[turn] + next * size.x];
                }
                if (lane < 4u) {
                    fixed_edge = fixed_0[edge + next * size.x];
                    warped_edge = warped_0[edge + next * size.x];
                }
            }
            if (FORWARD == 1u) {
                row = all_products(i, to, y);
            } else if (MEANS == 1u) {
                let over = over_means(MEAN_ROWS * (step & 1u) + own);
                row = products(i, column_0.difference, vec3<f32>(over.x, over_y(column_0), over.y));
            } else {
                row = column_products(0u, column_0, i, to);
                if (PAIRS > 1u) {
                    row = sum_of(row, column_products(1u, column_1, i, to));
                }
                if (PAIRS > 2u) {
                    row = sum_of(row, column_products(2u, column_2, i, to));
                }
            }
            let outermost = tap_y(i32(RADIUS_Y));
            var done = Channels(outermost * row.a, outermost * row.b, outermost * row.c);
            if (RADIUS_Y > 0u) {
                let last = done;
                done = sum_of(done, Channels(ahead_a[0], ahead_b[0], ahead_c[0]));
                for (var j = 0u; j < max(2u * RADIUS_Y, 1u) - 1u; j = j + 1u) {
                    let tap = tap_y(i32(RADIUS_Y) - 1 - i32(j));
                    if ((PARTS & 1u) != 0u) {
                        ahead_a[j] = ahead_a[j + 1u] + tap * row.a;
                    }
                    if ((PARTS & 2u) != 0u) {
                        ahead_b[j] = ahead_b[j + 1u] + tap * row.b;
                    }
                    if ((PARTS & 4u) != 0u) {
                        ahead_c[j] = ahead_c[j + 1u] + tap * row.c;
                    }
                }
                ahead_a[max(2u * RADIUS_Y, 1u) - 1u] = last.a;
                ahead_b[max(2u * RADIUS_Y, 1u) - 1u] = last.b;
                ahead_c[max(2u * RADIUS_Y, 1u) - 1u] = last.c;
            }
            if (step >= 2u * RADIUS_Y && step < steps && is_any) {
                store(base + (first_y + step - 2u * RADIUS_Y) * size.x, done);
            }
            if (is_next && MEANS == 1u) {
                column_0 = advanced(column_0, fixed_entering, warped_entering);
            } else if (is_next && FORWARD == 0u) {
                let entering = base + min(next + 2u, size.y - 1u) * size.x;
                column_0 = advance(0u, column_0, entering);
                if (PAIRS > 1u) {
                    column_1 = advance(1u, column_1, entering);
                }
                if (PAIRS > 2u) {
                    column_2 = advance(2u, column_2, entering);
                }
            }
            y = next;
            if (MEANS == 1u) {
                let after = MEAN_ROWS * ((step + 1u) & 1u);
                means[after + own] = column_0.here;
                if (lane < 4u) {
                    means[after + edge_place] = fixed_edge + select(warped_edge, fixed_edge, is_nan(warped_edge));
                }
                for (var turn = 0u; turn < TURNS; turn = turn + 1u) {
                    let w = warped_beside[turn];
                    let f = fixed_beside[turn];
                    means[after + beside_place[turn]] = f + select(w, f, is_nan(w));
                }
                workgroupBarrier();
            }
        }
    }
}
