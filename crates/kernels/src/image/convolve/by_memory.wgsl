// One pass of a separable filter, an output at a time, its samples read from the image or from workgroup memory. The contract is in
// by_memory.rs.

// Radius of the filter, voxels, at most 16.
override RADIUS: u32 = 7u;
// 1: a workgroup holds the samples of its tile in its memory.
override HELD: u32 = 0u;

// Outputs of a tile along the line, and lines of a tile along y and z.
const LONG: u32 = 128u;
const ALONG: u32 = 32u;
const ACROSS: u32 = 32u;
const HIGH: u32 = 8u;

// Along x a tile and what its ends need; along y and z such columns beside each other.
var<workgroup> held: array<f32, 2048>;

fn tap(distance: i32) -> f32 {
    let k = u32(abs(distance));
    return block.taps[k >> 2u][k & 3u];
}

fn within(at: i32) -> u32 {
    return u32(clamp(at, 0, i32(block.count) - 1));
}

// The sample of the row from `base` on at `distance` from output `nth` of the tile that begins at `first`.
fn row_sample(base: u32, first: u32, nth: u32, distance: i32) -> f32 {
    if (HELD == 1u) {
        return held[u32(i32(nth + RADIUS) + distance)];
    }
    return input[base + within(i32(first + nth) + distance)];
}

@compute @workgroup_size(LONG)
fn along_x(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let tile = group.y * groups.x + group.x;
    let tiles_along = (block.count + LONG - 1u) / LONG;
    let row = tile / tiles_along;
    let first = tile % tiles_along * LONG;
    let base = min(row, block.lines - 1u) * block.count;
    if (HELD == 1u) {
        for (var k = lane; k < LONG + 2u * RADIUS; k = k + LONG) {
            held[k] = input[base + within(i32(first + k) - i32(RADIUS))];
        }
        workgroupBarrier();
    }
    if (row >= block.lines || first + lane >= block.count) {
        return;
    }
    var sum = tap(0) * row_sample(base, first, lane, 0);
    for (var k = 1; k <= i32(RADIUS); k = k + 1) {
        sum = sum + tap(k) * (row_sample(base, first, lane, -k) + row_sample(base, first, lane, k));
    }
    output[base + first + lane] = sum;
}

// The sample of the column from `base` on at `distance` from output `nth` of the tile that begins at `first`.
fn column_sample(base: u32, first: u32, lane: u32, nth: u32, distance: i32) -> f32 {
    if (HELD == 1u) {
        return held[u32(i32(nth + RADIUS) + distance) * ACROSS + lane];
    }
    return input[base + within(i32(first + nth) + distance) * block.inner];
}

@compute @workgroup_size(ACROSS, HIGH)
fn along_line(
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let tile = group.y * groups.x + group.x;
    let tiles_along = (block.count + ALONG - 1u) / ALONG;
    let tiles_across = (block.inner + ACROSS - 1u) / ACROSS;
    let column = tile % tiles_across * ACROSS + lane.x;
    let first = tile / tiles_across % tiles_along * ALONG;
    let outer = tile / (tiles_across * tiles_along);
    let base = min(outer, block.lines - 1u) * block.inner * block.count + min(column, block.inner - 1u);
    if (HELD == 1u) {
        for (var k = lane.y; k < ALONG + 2u * RADIUS; k = k + HIGH) {
            held[k * ACROSS + lane.x] = input[base + within(i32(first + k) - i32(RADIUS)) * block.inner];
        }
        workgroupBarrier();
    }
    if (column >= block.inner || outer >= block.lines) {
        return;
    }
    let radius = i32(RADIUS);
    for (var nth = lane.y; nth < min(ALONG, block.count - first); nth = nth + HIGH) {
        var sum = tap(radius) * column_sample(base, first, lane.x, nth, -radius);
        for (var k = 1 - radius; k <= radius; k = k + 1) {
            sum = sum + tap(k) * column_sample(base, first, lane.x, nth, k);
        }
        output[base + (first + nth) * block.inner] = sum;
    }
}
