// The motion tensor, smoothed along x and y while its derivatives are at hand, then along z in place: the contract is
// mod.rs's. A workgroup marches down a strip of one plane: each thread makes the products of its column and smooths them
// along y in registers; a finished row passes through workgroup memory, from where quads of each channel are smoothed
// along x and stored.

override COMPONENTS: u32 = 3u;
// Channels of the output; the last is tt if it is wanted.
override CHANNELS: u32 = 9u;
override PAIRS: u32 = 1u;
override WEIGHTED: u32 = 0u;
override FORWARD: u32 = 0u;
override NORMALISED: u32 = 0u;
override RADIUS_X: u32 = 0u;
override RADIUS_Y: u32 = 0u;
override RADIUS_Z: u32 = 0u;
// Which parts of the channels this launch makes: 1 the first four, 2 the next four (3-D), 4 what is left.
override PARTS: u32 = 7u;
// Whether a single pair's neighbours along x come from workgroup memory, and those along z are asked for a row ahead: both
// save time where registers allow.
override MEANS: u32 = 0u;
override AHEAD: u32 = 0u;
// Columns of a strip, and those on either side that the filter along x looks at.
override STRIP: u32 = 128u;
override PAD: u32 = 4u;
override THREADS: u32 = 136u;

struct Block {
    // Voxels along each axis; rows of a workgroup.
    size: vec4<u32>,
    // What makes a difference a derivative, per axis; ζ².
    gain: vec4<f32>,
    taps_x: array<vec4<f32>, 3>,
    taps_y: array<vec4<f32>, 3>,
    taps_z: array<vec4<f32>, 3>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> fixed_0: array<f32>;
@group(0) @binding(2) var<storage, read> warped_0: array<f32>;
@group(0) @binding(3) var<storage, read> fixed_1: array<f32>;
@group(0) @binding(4) var<storage, read> warped_1: array<f32>;
@group(0) @binding(5) var<storage, read> fixed_2: array<f32>;
@group(0) @binding(6) var<storage, read> warped_2: array<f32>;
@group(0) @binding(7) var<storage, read> weight: array<f32>;
@group(0) @binding(8) var<storage, read_write> sums: array<f32>;
@group(0) @binding(9) var<storage, read_write> out_0: array<Pack>;
@group(0) @binding(10) var<storage, read_write> out_1: array<Pack>;
@group(0) @binding(11) var<storage, read_write> out_2: array<Pack>;
@group(0) @binding(12) var<storage, read_write> out_3: array<Pack>;
@group(0) @binding(13) var<storage, read_write> out_4: array<Pack>;
@group(0) @binding(14) var<storage, read_write> out_5: array<Pack>;
@group(0) @binding(15) var<storage, read_write> out_6: array<Pack>;
@group(0) @binding(16) var<storage, read_write> out_7: array<Pack>;
@group(0) @binding(17) var<storage, read_write> out_8: array<Pack>;
@group(0) @binding(18) var<storage, read_write> out_9: array<Pack>;

fn load_out(channel: u32, i: u32) -> Pack {
    switch channel {
        case 0u: { return out_0[i]; }
        case 1u: { return out_1[i]; }
        case 2u: { return out_2[i]; }
        case 3u: { return out_3[i]; }
        case 4u: { return out_4[i]; }
        case 5u: { return out_5[i]; }
        case 6u: { return out_6[i]; }
        case 7u: { return out_7[i]; }
        case 8u: { return out_8[i]; }
        default: { return out_9[i]; }
    }
}

fn store_out(channel: u32, i: u32, value: Pack) {
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

fn fixed_at(pair: u32, i: u32) -> f32 {
    if (pair == 0u) {
        return fixed_0[i];
    }
    if (pair == 1u) {
        return fixed_1[i];
    }
    return fixed_2[i];
}

fn warped_at(pair: u32, i: u32) -> f32 {
    if (pair == 0u) {
        return warped_0[i];
    }
    if (pair == 1u) {
        return warped_1[i];
    }
    return warped_2[i];
}

// Twice the mean of both images.
fn both(pair: u32, i: u32) -> f32 {
    let fixed = fixed_at(pair, i);
    let warped = warped_at(pair, i);
    return fixed + select(warped, fixed, is_nan(warped));
}

// Where the neighbours along an axis are: two before, one before, one after, two after; nearer ones beyond the border.
fn steps(at: u32, count: u32, stride: u32) -> vec4<u32> {
    let before = select(0u, stride, at > 0u);
    let after = select(0u, stride, at + 1u < count);
    let far_before = before + select(0u, stride, at > 1u);
    let far_after = after + select(0u, stride, at + 2u < count);
    return vec4<u32>(0u - far_before, 0u - before, after, far_after);
}

// The difference over an axis around voxel `i`, before its gain.
fn differ(pair: u32, i: u32, to: vec4<u32>) -> f32 {
    if (FORWARD == 1u) {
        return fixed_at(pair, i + to.z) - fixed_at(pair, i);
    }
    return both(pair, i + to.x) - both(pair, i + to.w) + 8.0 * (both(pair, i + to.z) - both(pair, i + to.y));
}

// What one thread needs around it: the neighbours along x and z, and the plane.
struct Around {
    x: vec4<u32>,
    z: vec4<u32>,
}

fn around(x: u32, z: u32) -> Around {
    let size = block.size;
    return Around(steps(x, size.x, 1u), steps(z, size.z, size.x * size.y));
}

// The channels of a voxel: the first four, the next four in 3-D, and what is left with tt.
struct Channels {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec2<f32>,
}

// The products of voxel `i`, whose differences over the axes are known and whose difference of images is NaN outside.
fn products(i: u32, difference: f32, over: vec3<f32>) -> Channels {
    let g = block.gain.xyz * over;
    var scale = 1.0;
    if (WEIGHTED == 1u) {
        scale = weight[i];
    }
    if (NORMALISED == 1u) {
        scale = scale / (block.gain.w + dot(g, g));
    }
    let outside = is_nan(difference);
    scale = select(scale, 0.0, outside);
    let by = select(difference, 0.0, outside);
    let weighted = scale * g;
    let t = scale * by;
    if (COMPONENTS == 2u) {
        return Channels(
            vec4<f32>(weighted.x * g.x, weighted.x * g.y, weighted.y * g.y, -t * g.x),
            vec4<f32>(0.0),
            vec2<f32>(-t * g.y, t * by),
        );
    }
    return Channels(
        vec4<f32>(weighted.x * g.x, weighted.x * g.y, weighted.x * g.z, weighted.y * g.y),
        vec4<f32>(weighted.y * g.z, weighted.z * g.z, -t * g.x, -t * g.y),
        vec2<f32>(-t * g.z, t * by),
    );
}

fn sum_of(m: Channels, n: Channels) -> Channels {
    return Channels(m.a + n.a, m.b + n.b, m.c + n.c);
}

fn over_z(pair: u32, i: u32, to: Around) -> f32 {
    if (COMPONENTS == 3u) {
        return differ(pair, i, to.z);
    }
    return 0.0;
}

fn products_at(pair: u32, i: u32, to: Around, to_y: vec4<u32>) -> Channels {
    let over = vec3<f32>(differ(pair, i, to.x), differ(pair, i, to_y), over_z(pair, i, to));
    return products(i, warped_at(pair, i) - fixed_at(pair, i), over);
}

// The products of voxel `i`, all of it looked up.
fn all_products(i: u32, to: Around, y: u32) -> Channels {
    let to_y = steps(y, block.size.y, block.size.x);
    var sum = products_at(0u, i, to, to_y);
    if (PAIRS > 1u) {
        sum = sum_of(sum, products_at(1u, i, to, to_y));
    }
    if (PAIRS > 2u) {
        sum = sum_of(sum, products_at(2u, i, to, to_y));
    }
    return sum;
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

// One row further: `i` is the voxel two rows after.
fn advance(pair: u32, column: Column, i: u32) -> Column {
    let fixed = fixed_at(pair, i);
    let difference = warped_at(pair, i) - fixed;
    let entering = fixed + fixed + select(difference, 0.0, is_nan(difference));
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

fn over_y(column: Column) -> f32 {
    return column.far_before - column.far_after + 8.0 * (column.after - column.before);
}

fn column_products(pair: u32, column: Column, i: u32, to: Around) -> Channels {
    let over = vec3<f32>(differ(pair, i, to.x), over_y(column), over_z(pair, i, to));
    return products(i, column.difference, over);
}

// The samples of a single pair beside a voxel along z: asked for a row before they are needed.
struct Beside {
    fixed: vec4<f32>,
    warped: vec4<f32>,
}

fn beside(i: u32, to: Around) -> Beside {
    let at = vec4<u32>(i) + to.z;
    return Beside(
        vec4<f32>(fixed_0[at.x], fixed_0[at.y], fixed_0[at.z], fixed_0[at.w]),
        vec4<f32>(warped_0[at.x], warped_0[at.y], warped_0[at.z], warped_0[at.w]),
    );
}

fn over_beside(samples: Beside) -> f32 {
    let f = samples.fixed;
    let w = samples.warped;
    let outside = vec4<bool>(is_nan(w.x), is_nan(w.y), is_nan(w.z), is_nan(w.w));
    let mean = f + select(w, f, outside);
    return mean.x - mean.w + 8.0 * (mean.z - mean.y);
}

// The means of the row that is worked on and of the next one: a single pair's neighbours along x are looked up here.
var<workgroup> means: array<f32, 512>;

// Where in a row of means the neighbours of column `lane` are; in columns that the filter along x does not look at, anywhere.
fn mean_lanes(lane: u32, to: vec4<u32>) -> vec4<u32> {
    return clamp(vec4<u32>(lane + 2u) + to, vec4<u32>(2u), vec4<u32>(THREADS + 1u)) - vec4<u32>(2u);
}

fn over_x(row: u32, at: vec4<u32>) -> f32 {
    let first = 256u * (row & 1u);
    return means[first + at.x] - means[first + at.w] + 8.0 * (means[first + at.z] - means[first + at.y]);
}

fn tap_y(k: i32) -> f32 {
    let at = u32(abs(k));
    return block.taps_y[at >> 2u][at & 3u];
}

fn tap_z(k: i32) -> f32 {
    let at = u32(abs(k));
    return block.taps_z[at >> 2u][at & 3u];
}

// Two rows of up to ten channels: one is read while the next is written. Samples x, x + 4, … lie together, in steps that
// keep both ways free of bank conflicts.
const STEP: u32 = 72u;
const CHANNEL: u32 = 4u * STEP;
const ROW: u32 = 10u * CHANNEL;
var<workgroup> row_memory: array<f32, 5760>;

// The first of the channels that are left.
fn first_left() -> u32 {
    return 4u * (COMPONENTS - 1u);
}

fn keep(parity: u32, column: u32, done: Channels) {
    let at = parity * ROW + (column & 3u) * STEP + (column >> 2u);
    if ((PARTS & 1u) != 0u) {
        row_memory[at] = done.a.x;
        row_memory[at + CHANNEL] = done.a.y;
        row_memory[at + 2u * CHANNEL] = done.a.z;
        row_memory[at + 3u * CHANNEL] = done.a.w;
    }
    if ((PARTS & 2u) != 0u) {
        row_memory[at + 4u * CHANNEL] = done.b.x;
        row_memory[at + 5u * CHANNEL] = done.b.y;
        row_memory[at + 6u * CHANNEL] = done.b.z;
        row_memory[at + 7u * CHANNEL] = done.b.w;
    }
    if ((PARTS & 4u) != 0u) {
        row_memory[at + first_left() * CHANNEL] = done.c.x;
        if (CHANNELS > first_left() + 1u) {
            row_memory[at + (first_left() + 1u) * CHANNEL] = done.c.y;
        }
    }
}

@compute @workgroup_size(THREADS)
fn in_plane(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let size = block.size;
    let first_x = group.x * STRIP;
    let x = u32(clamp(i32(first_x + lane) - i32(PAD), 0, i32(size.x) - 1));
    let to = around(x, group.z);
    let base = group.z * size.y * size.x + x;
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
    let mean_at = mean_lanes(u32(i32(x + PAD) - i32(first_x)), to.x);
    if (MEANS == 1u) {
        means[lane] = column_0.here;
        workgroupBarrier();
    }
    var over_next_z = 0.0;
    if (AHEAD == 1u) {
        over_next_z = over_z(0u, base + y * size.x, to);
    }
    // What the rows so far add to the outputs that are not complete yet; the oldest one's is the first.
    var ahead_a: array<vec4<f32>, 16>;
    var ahead_b: array<vec4<f32>, 16>;
    var ahead_c: array<vec2<f32>, 16>;
    var parity = 0u;
    for (var step = 0u; step < rows + 2u * RADIUS_Y; step = step + 1u) {
        let i = base + y * size.x;
        var row: Channels;
        if (FORWARD == 1u) {
            row = all_products(i, to, y);
        } else if (MEANS == 1u) {
            var over = vec3<f32>(over_x(step, mean_at), over_y(column_0), over_next_z);
            if (AHEAD == 0u) {
                over.z = over_z(0u, i, to);
            }
            row = products(i, column_0.difference, over);
        } else {
            row = column_products(0u, column_0, i, to);
            if (PAIRS > 1u) {
                row = sum_of(row, column_products(1u, column_1, i, to));
            }
            if (PAIRS > 2u) {
                row = sum_of(row, column_products(2u, column_2, i, to));
            }
        }
        // Rows beyond the border are the border's.
        if (first_y + step >= RADIUS_Y && y + 1u < size.y) {
            y = y + 1u;
            if (FORWARD == 0u) {
                let entering = base + min(y + 2u, size.y - 1u) * size.x;
                column_0 = advance(0u, column_0, entering);
                if (PAIRS > 1u) {
                    column_1 = advance(1u, column_1, entering);
                }
                if (PAIRS > 2u) {
                    column_2 = advance(2u, column_2, entering);
                }
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
        if (MEANS == 1u) {
            means[256u * ((step + 1u) & 1u) + lane] = column_0.here;
        }
        if (step >= 2u * RADIUS_Y) {
            keep(parity, lane, done);
        }
        var coming: Beside;
        if (AHEAD == 1u) {
            coming = beside(base + y * size.x, to);
        }
        workgroupBarrier();
        if (step >= 2u * RADIUS_Y) {
            let out_row = (group.z * size.y + first_y + step - 2u * RADIUS_Y) * size.x;
            store_row(parity, lane, out_row, first_x);
            parity = 1u - parity;
        }
        if (AHEAD == 1u) {
            over_next_z = over_beside(coming);
        }
    }
}

// A thread marches down a column of one channel: what it overwrites it has read, and nobody else looks there.
@compute @workgroup_size(256)
fn along_z(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let plane = block.size.x * block.size.y / PACK;
    let column = line_index(id, groups);
    if (column >= plane) {
        return;
    }
    let channel = id.z;
    let count = block.size.z;
    var ahead: array<Pack, 16>;
    // Four planes are asked for before the four before them are worked on.
    var coming: array<Pack, 4>;
    var last = load_out(channel, column);
    for (var k = 0u; k < 4u; k = k + 1u) {
        coming[k] = load_out(channel, column + min(k, count - 1u) * plane);
    }
    for (var before = 0u; before < RADIUS_Z; before = before + 1u) {
        for (var j = 0u; j < max(2u * RADIUS_Z, 1u) - 1u; j = j + 1u) {
            ahead[j] = ahead[j + 1u] + tap_z(i32(RADIUS_Z) - 1 - i32(j)) * last;
        }
        ahead[max(2u * RADIUS_Z, 1u) - 1u] = tap_z(i32(RADIUS_Z)) * last;
    }
    for (var base = 0u; base < count + RADIUS_Z; base = base + 4u) {
        let here = coming;
        for (var k = 0u; k < 4u; k = k + 1u) {
            if (base + 4u + k < count) {
                coming[k] = load_out(channel, column + (base + 4u + k) * plane);
            }
        }
        for (var k = 0u; k < 4u; k = k + 1u) {
            let z = base + k;
            if (z < count) {
                last = here[k];
            }
            let done = ahead[0] + tap_z(i32(RADIUS_Z)) * last;
            for (var j = 0u; j < max(2u * RADIUS_Z, 1u) - 1u; j = j + 1u) {
                ahead[j] = ahead[j + 1u] + tap_z(i32(RADIUS_Z) - 1 - i32(j)) * last;
            }
            ahead[max(2u * RADIUS_Z, 1u) - 1u] = tap_z(i32(RADIUS_Z)) * last;
            if (z >= RADIUS_Z && z < count + RADIUS_Z) {
                store_out(channel, column + (z - RADIUS_Z) * plane, done);
            }
        }
    }
}

// Σ n I_t² and Σ n |∇I|².
@compute @workgroup_size(256)
fn mismatch(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    var tt = 0.0;
    var trace = 0.0;
    for (var i = id.x; i < size.x * size.y * size.z; i = i + groups.x * LINE) {
        let row = i / size.x;
        let y = row % size.y;
        let at = all_products(i, around(i % size.x, row / size.y), y);
        tt = tt + at.c.y;
        if (COMPONENTS == 2u) {
            trace = trace + at.a.x + at.a.z;
        } else {
            trace = trace + at.a.x + at.a.w + at.b.y;
        }
    }
    let total_tt = workgroup_sum(tt, lane);
    let total_trace = workgroup_sum(trace, lane);
    if (lane == 0u) {
        sums[2u * group.x] = total_tt;
        sums[2u * group.x + 1u] = total_trace;
    }
}
