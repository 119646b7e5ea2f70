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
// Which quads of channels this launch makes: bit k for the channels 4k to 4k + 3.
override QUADS: u32 = 7u;
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

// The difference over an axis around voxel `i`, `at` of `count`, before its gain.
fn differ(pair: u32, i: u32, at: u32, count: u32, stride: u32) -> f32 {
    let next = select(i, i + stride, at + 1u < count);
    if (FORWARD == 1u) {
        return fixed_at(pair, next) - fixed_at(pair, i);
    }
    let before = select(i, i - stride, at > 0u);
    let far_before = select(before, before - stride, at > 1u);
    let far_next = select(next, next + stride, at + 2u < count);
    return both(pair, far_before) - both(pair, far_next) + 8.0 * (both(pair, next) - both(pair, before));
}

struct Derivatives {
    gradient: vec3<f32>,
    difference: f32,
    weight: f32,
}

fn derive(pair: u32, x: u32, y: u32, z: u32) -> Derivatives {
    let i = (z * block.size.y + y) * block.size.x + x;
    var out: Derivatives;
    out.gradient.x = block.gain.x * differ(pair, i, x, block.size.x, 1u);
    out.gradient.y = block.gain.y * differ(pair, i, y, block.size.y, block.size.x);
    out.gradient.z = 0.0;
    if (COMPONENTS == 3u) {
        out.gradient.z = block.gain.z * differ(pair, i, z, block.size.z, block.size.x * block.size.y);
    }
    let warped = warped_at(pair, i);
    let outside = is_nan(warped);
    out.difference = select(warped - fixed_at(pair, i), 0.0, outside);
    out.weight = 1.0;
    if (WEIGHTED == 1u) {
        out.weight = weight[i];
    }
    if (NORMALISED == 1u) {
        out.weight = out.weight / (block.gain.w + dot(out.gradient, out.gradient));
    }
    out.weight = select(out.weight, 0.0, outside);
    return out;
}

// The channels of a voxel, four at a time.
struct Channels {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
}

fn products(pair: u32, x: u32, y: u32, z: u32) -> Channels {
    let at = derive(pair, x, y, z);
    let g = at.gradient;
    let weighted = at.weight * g;
    let t = at.weight * at.difference;
    if (COMPONENTS == 2u) {
        return Channels(
            vec4<f32>(weighted.x * g.x, weighted.x * g.y, weighted.y * g.y, -t * g.x),
            vec4<f32>(-t * g.y, t * at.difference, 0.0, 0.0),
            vec4<f32>(0.0),
        );
    }
    return Channels(
        vec4<f32>(weighted.x * g.x, weighted.x * g.y, weighted.x * g.z, weighted.y * g.y),
        vec4<f32>(weighted.y * g.z, weighted.z * g.z, -t * g.x, -t * g.y),
        vec4<f32>(-t * g.z, t * at.difference, 0.0, 0.0),
    );
}

fn all_products(x: u32, y: u32, z: u32) -> Channels {
    var sum = products(0u, x, y, z);
    if (PAIRS > 1u) {
        let next = products(1u, x, y, z);
        sum = Channels(sum.a + next.a, sum.b + next.b, sum.c + next.c);
    }
    if (PAIRS > 2u) {
        let next = products(2u, x, y, z);
        sum = Channels(sum.a + next.a, sum.b + next.b, sum.c + next.c);
    }
    return sum;
}

fn tap_y(k: i32) -> f32 {
    let at = u32(abs(k));
    return block.taps_y[at >> 2u][at & 3u];
}

fn tap_z(k: i32) -> f32 {
    let at = u32(abs(k));
    return block.taps_z[at >> 2u][at & 3u];
}

// Two rows of up to twelve channels: one is read while the next is written. Samples x, x + 4, … lie together, in steps that
// keep both ways free of bank conflicts.
const STEP: u32 = 72u;
const CHANNEL: u32 = 4u * STEP;
const ROW: u32 = 12u * CHANNEL;
var<workgroup> row_memory: array<f32, 6912>;

fn keep(parity: u32, first: u32, column: u32, values: vec4<f32>) {
    let at = parity * ROW + first * CHANNEL + (column & 3u) * STEP + (column >> 2u);
    row_memory[at] = values.x;
    row_memory[at + CHANNEL] = values.y;
    row_memory[at + 2u * CHANNEL] = values.z;
    row_memory[at + 3u * CHANNEL] = values.w;
}

fn kept(at: u32) -> vec4<f32> {
    return vec4<f32>(
        row_memory[at],
        row_memory[at + STEP],
        row_memory[at + 2u * STEP],
        row_memory[at + 3u * STEP],
    );
}

// Quad `quad` of a channel, smoothed along x.
fn filter_quad(parity: u32, channel: u32, quad: u32) -> vec4<f32> {
    let at = parity * ROW + channel * CHANNEL + quad + PAD / 4u;
    let c = kept(at);
    let near = block.taps_x[0];
    var sum = near.x * c;
    if (RADIUS_X > 0u) {
        let b = kept(at - 1u);
        let d = kept(at + 1u);
        let far = block.taps_x[1];
        sum = sum + near.y * (vec4<f32>(b.w, c.xyz) + vec4<f32>(c.yzw, d.x));
        if (RADIUS_X > 1u) {
            sum = sum + near.z * (vec4<f32>(b.zw, c.xy) + vec4<f32>(c.zw, d.xy));
        }
        if (RADIUS_X > 2u) {
            sum = sum + near.w * (vec4<f32>(b.yzw, c.x) + vec4<f32>(c.w, d.xyz));
        }
        if (RADIUS_X > 3u) {
            sum = sum + far.x * (b + d);
        }
        if (RADIUS_X > 4u) {
            let a = kept(at - 2u);
            let e = kept(at + 2u);
            sum = sum + far.y * (vec4<f32>(a.w, b.xyz) + vec4<f32>(d.yzw, e.x));
            if (RADIUS_X > 5u) {
                sum = sum + far.z * (vec4<f32>(a.zw, b.xy) + vec4<f32>(d.zw, e.xy));
            }
            if (RADIUS_X > 6u) {
                sum = sum + far.w * (vec4<f32>(a.yzw, b.x) + vec4<f32>(d.w, e.xyz));
            }
            if (RADIUS_X > 7u) {
                sum = sum + block.taps_x[2].x * (a + e);
            }
        }
    }
    return sum;
}

@compute @workgroup_size(THREADS)
fn in_plane(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let size = block.size;
    let first_x = group.x * STRIP;
    let x = u32(clamp(i32(first_x + lane) - i32(PAD), 0, i32(size.x) - 1));
    let z = group.z;
    let first_y = group.y * size.w;
    let rows = min(size.w, size.y - first_y);
    // What the rows so far add to the outputs that are not complete yet: output y is `ahead[0]`'s.
    var ahead_a: array<vec4<f32>, 16>;
    var ahead_b: array<vec4<f32>, 16>;
    var ahead_c: array<vec4<f32>, 16>;
    let quad = lane % (STRIP / 4u);
    let nth = lane / (STRIP / 4u);
    let out_x = first_x + 4u * quad;
    var parity = 0u;
    for (var step = 0u; step < rows + 2u * RADIUS_Y; step = step + 1u) {
        let y = u32(clamp(i32(first_y + step) - i32(RADIUS_Y), 0, i32(size.y) - 1));
        let row = all_products(x, y, z);
        var done = row;
        if (RADIUS_Y > 0u) {
            let outermost = tap_y(i32(RADIUS_Y));
            done = Channels(
                ahead_a[0] + outermost * row.a,
                ahead_b[0] + outermost * row.b,
                ahead_c[0] + outermost * row.c,
            );
            for (var j = 0u; j < max(2u * RADIUS_Y, 1u) - 1u; j = j + 1u) {
                let tap = tap_y(i32(RADIUS_Y) - 1 - i32(j));
                ahead_a[j] = ahead_a[j + 1u] + tap * row.a;
                ahead_b[j] = ahead_b[j + 1u] + tap * row.b;
                ahead_c[j] = ahead_c[j + 1u] + tap * row.c;
            }
            ahead_a[max(2u * RADIUS_Y, 1u) - 1u] = outermost * row.a;
            ahead_b[max(2u * RADIUS_Y, 1u) - 1u] = outermost * row.b;
            ahead_c[max(2u * RADIUS_Y, 1u) - 1u] = outermost * row.c;
        } else {
            let tap = tap_y(0);
            done = Channels(tap * row.a, tap * row.b, tap * row.c);
        }
        if (step >= 2u * RADIUS_Y) {
            if ((QUADS & 1u) != 0u) {
                keep(parity, 0u, lane, done.a);
            }
            if ((QUADS & 2u) != 0u) {
                keep(parity, 4u, lane, done.b);
            }
            if ((QUADS & 4u) != 0u) {
                keep(parity, 8u, lane, done.c);
            }
            workgroupBarrier();
            if (nth < 4u && out_x < size.x) {
                let out_row = z * size.y + first_y + step - 2u * RADIUS_Y;
                for (var k = 0u; k < 3u; k = k + 1u) {
                    let channel = 4u * k + nth;
                    if (((QUADS >> k) & 1u) != 0u && channel < CHANNELS) {
                        store_quad(channel, out_row * size.x, out_x, filter_quad(parity, channel, quad));
                    }
                }
            }
            parity = 1u - parity;
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

// Σ n I_t² and Σ n |∇I|² over every fourth row.
@compute @workgroup_size(256)
fn mismatch(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    let per_plane = (size.y + 3u) / 4u;
    var tt = 0.0;
    var trace = 0.0;
    for (var i = id.x; i < size.x * per_plane * size.z; i = i + groups.x * LINE) {
        let row = i / size.x;
        let z = row / per_plane;
        let y = 4u * (row % per_plane) + ((4u - (z & 3u)) & 3u);
        if (y < size.y) {
            let at = all_products(i % size.x, y, z);
            if (COMPONENTS == 2u) {
                tt = tt + at.b.y;
                trace = trace + at.a.x + at.a.z;
            } else {
                tt = tt + at.c.y;
                trace = trace + at.a.x + at.a.w + at.b.y;
            }
        }
    }
    let total_tt = workgroup_sum(tt, lane);
    let total_trace = workgroup_sum(trace, lane);
    if (lane == 0u) {
        sums[2u * group.x] = total_tt;
        sums[2u * group.x + 1u] = total_trace;
    }
}
