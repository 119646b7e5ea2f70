// Sums over a long window along one axis, each of two sums of half its length. The contract is in mod.rs.
//
// A workgroup has pieces of LINES lines in its memory, LENGTH samples of each, and finds the sums of the windows inside.

// Half the window, at most 127.
override RADIUS: u32 = 24u;
override LINES: u32 = 2u;
// From a sample to the next one of its line in the memory: 1, or LINES where lines lie side by side.
override STEP: u32 = 1u;

const SAMPLES: u32 = 4096u;
const THREADS: u32 = 256u;
// Samples of a thread.
const OWN: u32 = 16u;

var<workgroup> sums: array<f32, 4096>;

@compute @workgroup_size(256)
fn long_window(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let length = SAMPLES / LINES;
    let window = 2u * RADIUS + 1u;
    let found = length - 2u * RADIUS;
    let first_line = (group.z * groups.x + group.x) * LINES;
    let first = group.y * found;
    var own: array<f32, 16>;
    for (var k = 0u; k < OWN; k = k + 1u) {
        let nth = lane + k * THREADS;
        let line = first_line + select(nth / length, nth % LINES, STEP > 1u);
        // The piece begins half a window before its first sum; positions before the line wrap around to large numbers.
        let at = first + select(nth % length, nth / LINES, STEP > 1u) - RADIUS;
        own[k] = 0.0;
        if (line < block.items && at < block.length) {
            let start = line / block.stride * block.stride * block.length + line % block.stride;
            own[k] = input[start + at * block.stride];
        }
        sums[nth] = own[k];
    }
    workgroupBarrier();
    var next = 1u;
    for (var half = 1u; 2u * half <= window; half = 2u * half) {
        var twice: array<f32, 16>;
        for (var k = 0u; k < OWN; k = k + 1u) {
            let nth = lane + k * THREADS;
            // What would lie beyond the memory is part of no window that is asked for.
            twice[k] = sums[nth] + sums[min(nth + half * STEP, SAMPLES - 1u)];
        }
        workgroupBarrier();
        for (var k = 0u; k < OWN; k = k + 1u) {
            sums[lane + k * THREADS] = twice[k];
        }
        workgroupBarrier();
        if ((window & (2u * half)) != 0u) {
            for (var k = 0u; k < OWN; k = k + 1u) {
                own[k] = own[k] + sums[min(lane + k * THREADS + next * STEP, SAMPLES - 1u)];
            }
            next = next + 2u * half;
        }
    }
    for (var k = 0u; k < OWN; k = k + 1u) {
        let nth = lane + k * THREADS;
        let line = first_line + select(nth / length, nth % LINES, STEP > 1u);
        let place = select(nth % length, nth / LINES, STEP > 1u);
        let at = first + place;
        if (place < found && line < block.items && at < block.length) {
            let start = line / block.stride * block.stride * block.length + line % block.stride;
            output[start + at * block.stride] = own[k];
        }
    }
}
