// One pass of a separable filter along y or z: the contract is mod.rs's.

// Voxels on either side that count, 16 at most.
override RADIUS: u32 = 1u;
// Twice the radius.
override TAIL: u32 = 2u;
// 0: borders repeat; 1: they mirror, with the period 2 n − 2.
override MIRROR: u32 = 0u;

struct Block {
    // Packs from one sample of a line to the next; along x, packs of a row.
    inner: u32,
    // Samples of a line.
    count: u32,
    // Outputs of a thread.
    run: u32,
    // Threads.
    items: u32,
    // Weights, centre first.
    taps: array<vec4<f32>, 5>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> input: array<Pack>;
@group(0) @binding(2) var<storage, read_write> output: array<Pack>;

fn tap(distance: i32) -> f32 {
    let k = u32(abs(distance));
    return block.taps[k >> 2u][k & 3u];
}

// The sample that stands at `at`.
fn border(at: i32) -> u32 {
    let last = i32(block.count) - 1;
    if (MIRROR == 0u) {
        return u32(clamp(at, 0, last));
    }
    if (at >= 0 && at <= last) {
        return u32(at);
    }
    let folded = abs(at) % (2 * last);
    return u32(min(folded, 2 * last - folded));
}

// Takes the next sample and gives the output that it completes; `sums` holds the TAIL outputs that are under way.
fn push(sums: ptr<function, array<Pack, 33>>, value: Pack) -> Pack {
    let complete = (*sums)[0] + tap(i32(RADIUS)) * value;
    for (var i = 0u; i < TAIL; i = i + 1u) {
        (*sums)[i] = (*sums)[i + 1u] + tap(i32(i) + 1 - i32(RADIUS)) * value;
    }
    return complete;
}

// A thread runs along the line and reads each sample once.
@compute @workgroup_size(256)
fn along_line(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let item = line_index(id, groups);
    if (item >= block.items) {
        return;
    }
    let runs = (block.count + block.run - 1u) / block.run;
    let first = item / block.inner % runs * block.run;
    let base = item / (block.inner * runs) * block.inner * block.count + item % block.inner;
    let end = min(first + block.run, block.count) - first + TAIL;
    let start = i32(first) - i32(RADIUS);
    // The last stays 0.
    var sums: array<Pack, 33>;
    for (var step = 0u; step < end; step = step + 4u) {
        let at = start + i32(step);
        let a = input[base + border(at) * block.inner];
        let b = input[base + border(at + 1) * block.inner];
        let c = input[base + border(at + 2) * block.inner];
        let d = input[base + border(at + 3) * block.inner];
        keep(base, first, step, end, push(&sums, a));
        keep(base, first, step + 1u, end, push(&sums, b));
        keep(base, first, step + 2u, end, push(&sums, c));
        keep(base, first, step + 3u, end, push(&sums, d));
    }
}

fn keep(base: u32, first: u32, step: u32, end: u32, value: Pack) {
    if (step >= TAIL && step < end) {
        output[base + (first + step - TAIL) * block.inner] = value;
    }
}
