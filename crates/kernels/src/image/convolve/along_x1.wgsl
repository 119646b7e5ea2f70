// Convolution with packs of one sample: along x where the row length is not a multiple of four, and long filters along
// every axis. Sums along x start with the central sample; sums along y and z add the samples in their order.

override ALONG_X: u32 = 0u;

@compute @workgroup_size(128)
fn along_x(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let item = item_of(id, groups);
    if (item >= block.items) {
        return;
    }
    let at = i32(item % block.count);
    let row = item - u32(at);
    var sum = tap(0) * input[item];
    for (var k = 1; k <= i32(RADIUS); k = k + 1) {
        sum = sum + tap(k) * (input[row + border(at - k)] + input[row + border(at + k)]);
    }
    output[item] = sum;
}

@compute @workgroup_size(128)
fn long_filter(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let item = item_of(id, groups);
    if (item >= block.items) {
        return;
    }
    let at = i32(item / block.inner % block.count);
    let base = item - u32(at) * block.inner;
    let radius = i32(block.long_radius);
    if (ALONG_X == 1u) {
        var sum = long_taps[0] * input[item];
        for (var k = 1; k <= radius; k = k + 1) {
            let below = input[base + border(at - k) * block.inner];
            let above = input[base + border(at + k) * block.inner];
            sum = sum + long_taps[k] * (below + above);
        }
        output[item] = sum;
    } else {
        var sum = long_taps[radius] * input[base + border(at - radius) * block.inner];
        for (var k = 1 - radius; k <= radius; k = k + 1) {
            sum = sum + long_taps[abs(k)] * input[base + border(at + k) * block.inner];
        }
        output[item] = sum;
    }
}
