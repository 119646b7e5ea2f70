// Sums over a window along one axis. The contract is in mod.rs.

// Half the window, at most 127.
override RADIUS: u32 = 1u;

fn sample(i: u32, at: i32, offset: i32) -> f32 {
    let to = at + offset;
    if (to < 0 || to >= i32(block.length)) {
        return 0.0;
    }
    return input[u32(i32(i) + offset * i32(block.stride))];
}

// The sum of `count` samples, a power of two, in pairs of pairs: `parts` holds the sums that wait for their other half.
fn pairs(i: u32, at: i32, first: i32, count: u32) -> f32 {
    var parts: array<f32, 8>;
    var sum = 0.0;
    for (var nth = 0u; nth < count; nth = nth + 1u) {
        sum = sample(i, at, first + i32(nth));
        var level = 0u;
        for (var left = nth; (left & 1u) == 1u; left = left >> 1u) {
            sum = parts[level] + sum;
            level = level + 1u;
        }
        parts[level] = sum;
    }
    return sum;
}

@compute @workgroup_size(256)
fn window_sum(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.items) {
        return;
    }
    let at = i32(i / block.stride % block.length);
    let window = 2u * RADIUS + 1u;
    var start = -i32(RADIUS);
    var sum = sample(i, at, start);
    start = start + 1;
    for (var step = 2u; step <= window; step = step * 2u) {
        if ((window & step) != 0u) {
            sum = sum + pairs(i, at, start, step);
            start = start + i32(step);
        }
    }
    output[i] = sum;
}
