// One pass of a separable filter along y or z. The contract is in mod.rs.

// Radius of the filter, voxels, at most 16.
override RADIUS: u32 = 1u;
// Twice the radius.
override TAIL: u32 = 2u;
// Border condition. 0: the border sample repeats; 1: mirrored; 2: mirrored several times, with the period 2 n − 2, for
// lines shorter than the filter.
override MIRROR: u32 = 0u;
// Outputs per thread along y and z, at most 32.
override RUN: u32 = 8u;
// Columns, and threads along the line, of a workgroup along y and z.
override WIDE: u32 = 32u;
override HIGH: u32 = 4u;

const THREADS: u32 = 128u;

fn tap(distance: i32) -> f32 {
    let k = u32(abs(distance));
    return block.taps[k >> 2u][k & 3u];
}

// The index of the sample at position `at` of a line, with the border condition; any valid index if no output needs the
// sample.
fn border(at: i32) -> u32 {
    let last = i32(block.count) - 1;
    if (MIRROR == 0u) {
        return u32(clamp(at, 0, last));
    }
    var folded = abs(at);
    if (MIRROR == 2u) {
        folded = folded % (2 * last);
    }
    return u32(max(min(folded, 2 * last - folded), 0));
}

fn item_of(id: vec3<u32>, groups: vec3<u32>) -> u32 {
    return id.y * groups.x * THREADS + id.x;
}

// Adds the next sample to the partial sums and returns the output that it completes. `sums` holds the TAIL outputs in
// progress.
fn push(sums: ptr<function, array<Pack, 33>>, value: Pack) -> Pack {
    let complete = (*sums)[0] + tap(i32(RADIUS)) * value;
    for (var i = 0u; i < TAIL; i = i + 1u) {
        (*sums)[i] = (*sums)[i + 1u] + tap(i32(i) + 1 - i32(RADIUS)) * value;
    }
    return complete;
}

// A thread moves along the line and reads each sample once. Its loops are unrolled: partial sums that belong only to
// outputs of other threads are then not computed, and loads do not wait for each other. Workgroups take tiles of
// columns and runs; runs overlap, and the shared samples are found in the cache.
@compute @workgroup_size(WIDE, HIGH)
fn along_line(
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let tile = group.y * groups.x + group.x;
    let tiles_along = (block.count + RUN * HIGH - 1u) / (RUN * HIGH);
    let tiles_across = (block.inner + WIDE - 1u) / WIDE;
    let column = tile % tiles_across * WIDE + lane.x;
    let first = (tile / tiles_across % tiles_along * HIGH + lane.y) * RUN;
    let outer = tile / (tiles_across * tiles_along);
    if (column >= block.inner || first >= block.count || outer >= block.items) {
        return;
    }
    let base = outer * block.inner * block.count + column;
    // The last element stays 0.
    var sums: array<Pack, 33>;
    for (var i = 0u; i < TAIL; i = i + 1u) {
        push(&sums, input[base + border(i32(first + i) - i32(RADIUS)) * block.inner]);
    }
    for (var i = 0u; i < RUN; i = i + 1u) {
        let value = push(&sums, input[base + border(i32(first + i + RADIUS)) * block.inner]);
        if (first + i < block.count) {
            output[base + (first + i) * block.inner] = value;
        }
    }
}
