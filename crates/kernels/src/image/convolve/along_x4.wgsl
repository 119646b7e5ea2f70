// Convolution along x, four outputs per thread.

// Number of input packs for one output pack: 2 ⌈RADIUS / 4⌉ + 1.
override PACKS: u32 = 3u;

@compute @workgroup_size(128)
fn along_x(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let item = item_of(id, groups);
    if (item >= block.items) {
        return;
    }
    let half = PACKS / 2u;
    let at = item % block.inner;
    // The input samples of this thread; those of its outputs start at index 4 · half.
    var near: array<f32, 36>;
    for (var k = 0u; k < PACKS; k = k + 1u) {
        let pack = pack_at(item - at, i32(at) + i32(k) - i32(half), k);
        near[4u * k] = pack.x;
        near[4u * k + 1u] = pack.y;
        near[4u * k + 2u] = pack.z;
        near[4u * k + 3u] = pack.w;
    }
    let here = 4u * half;
    var sum = tap(0) * vec4<f32>(near[here], near[here + 1u], near[here + 2u], near[here + 3u]);
    for (var k = 1u; k <= RADIUS; k = k + 1u) {
        let l = here - k;
        let r = here + k;
        let left = vec4<f32>(near[l], near[l + 1u], near[l + 2u], near[l + 3u]);
        let right = vec4<f32>(near[r], near[r + 1u], near[r + 2u], near[r + 3u]);
        sum = sum + tap(i32(k)) * (left + right);
    }
    output[item] = sum;
}

// Input pack number `k` of a thread, at pack index `at` of the row, which may lie beyond the border. Repeated borders
// take no branch.
fn pack_at(row: u32, at: i32, k: u32) -> vec4<f32> {
    let last = i32(block.inner) - 1;
    let is_before = k < PACKS / 2u && at < 0;
    let is_after = k > PACKS / 2u && at > last;
    if (MIRROR != 0u && (is_before || is_after)) {
        return vec4<f32>(
            sample_at(row, 4 * at),
            sample_at(row, 4 * at + 1),
            sample_at(row, 4 * at + 2),
            sample_at(row, 4 * at + 3),
        );
    }
    let pack = input[row + u32(clamp(at, 0, last))];
    return select(select(pack, pack.wwww, is_after), pack.xxxx, is_before);
}

fn sample_at(row: u32, at: i32) -> f32 {
    let x = border(at);
    return input[row + (x >> 2u)][x & 3u];
}
