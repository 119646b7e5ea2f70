// Along x, four outputs a thread.

// Packs that a pack of outputs needs: 2 ⌈RADIUS / 4⌉ + 1.
override PACKS: u32 = 3u;

@compute @workgroup_size(256)
fn along_x(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let item = line_index(id, groups);
    if (item >= block.items) {
        return;
    }
    let half = i32(PACKS / 2u);
    let at = i32(item % block.inner);
    let row = item - u32(at);
    var sum = vec4<f32>();
    if (at >= half && at + half < i32(block.inner)) {
        for (var k = 0u; k < PACKS; k = k + 1u) {
            sum = sum + part(input[item + k - PACKS / 2u], 4 * (i32(k) - half));
        }
    } else {
        for (var k = 0u; k < PACKS; k = k + 1u) {
            let offset = i32(k) - half;
            sum = sum + part(pack_at(row, at + offset), 4 * offset);
        }
    }
    output[item] = sum;
}

// What a pack that begins `offset` samples after the outputs adds to them.
fn part(pack: vec4<f32>, offset: i32) -> vec4<f32> {
    return vec4<f32>(
        meet(pack, offset),
        meet(pack, offset - 1),
        meet(pack, offset - 2),
        meet(pack, offset - 3),
    );
}

fn meet(pack: vec4<f32>, offset: i32) -> f32 {
    return weigh(pack.x, offset) + weigh(pack.y, offset + 1) + weigh(pack.z, offset + 2)
        + weigh(pack.w, offset + 3);
}

// Samples beyond the radius do not count, NaN neither.
fn weigh(value: f32, offset: i32) -> f32 {
    if (abs(offset) > i32(RADIUS)) {
        return 0.0;
    }
    return tap(offset) * value;
}

// The pack that stands at `at`, beyond the border as well.
fn pack_at(row: u32, at: i32) -> vec4<f32> {
    if (at >= 0 && at < i32(block.inner)) {
        return input[row + u32(at)];
    }
    return vec4<f32>(
        sample_at(row, 4 * at),
        sample_at(row, 4 * at + 1),
        sample_at(row, 4 * at + 2),
        sample_at(row, 4 * at + 3),
    );
}

fn sample_at(row: u32, at: i32) -> f32 {
    let x = border(at);
    return input[row + (x >> 2u)][x & 3u];
}
