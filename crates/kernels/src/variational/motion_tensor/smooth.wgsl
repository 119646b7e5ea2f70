// The rest of the tensor's filter, several channels per launch: along x, or along x and z in one march. The order of
// the axes is y, x, z.

override RADIUS_X: u32 = 0u;
override RADIUS_Z: u32 = 0u;
// Number of channels.
override CHANNELS: u32 = 1u;
// Planes that a march along z loads at once, at most 4: as many as registers allow.
override BATCH: u32 = 4u;

fn load(channel: u32, i: u32) -> Pack {
    if (CHANNELS == 1u) {
        return in_0[i];
    }
    switch channel {
        case 0u: { return in_0[i]; }
        case 1u: { return in_1[i]; }
        case 2u: { return in_2[i]; }
        case 3u: { return in_3[i]; }
        case 4u: { return in_4[i]; }
        default: { return in_5[i]; }
    }
}

fn store(channel: u32, i: u32, value: Pack) {
    if (CHANNELS == 1u) {
        out_0[i] = value;
        return;
    }
    switch channel {
        case 0u: { out_0[i] = value; }
        case 1u: { out_1[i] = value; }
        case 2u: { out_2[i] = value; }
        case 3u: { out_3[i] = value; }
        case 4u: { out_4[i] = value; }
        default: { out_5[i] = value; }
    }
}

fn tap_x(k: u32) -> f32 {
    return block.taps_x[k >> 2u][k & 3u];
}

fn tap_z(k: i32) -> f32 {
    let at = u32(abs(k));
    return block.taps_z[at >> 2u][at & 3u];
}

@compute @workgroup_size(32, 4)
fn along_x(@builtin(global_invocation_id) id: vec3<u32>) {
    let width = block.size.x / PACK;
    let channel = id.z % CHANNELS;
    if (id.x >= width || id.y >= block.size.y) {
        return;
    }
    let i = (id.z / CHANNELS * block.size.y + id.y) * width + id.x;
    let here = load(channel, i);
    store(channel, i, smoothed(here, neighbours(channel, i, id.x, here), id.x));
}

// A thread moves along z and keeps the partial sums of the outputs that are not complete yet.
fn march(channel: u32, segment: u32, id: vec3<u32>) {
    let width = block.size.x / PACK;
    if (id.x >= width || id.y >= block.size.y) {
        return;
    }
    let plane = width * block.size.y;
    let column = id.y * width + id.x;
    let first = segment * block.size.w;
    let end = min(first + block.size.w, block.size.z);
    let last_z = i32(block.size.z) - 1;
    var ahead: array<Pack, 16>;
    // Planes are loaded before the planes in front of them are processed.
    var coming: array<Pack, 4>;
    let begin = i32(first) - i32(RADIUS_Z);
    for (var k = 0; k < i32(BATCH); k = k + 1) {
        coming[k] = load(channel, column + u32(clamp(begin + k, 0, last_z)) * plane);
    }
    let steps = i32(end - first + 2u * RADIUS_Z);
    for (var base = 0; base < steps; base = base + i32(BATCH)) {
        let here = coming;
        var around: array<Neighbours, 4>;
        for (var k = 0; k < i32(BATCH); k = k + 1) {
            let at = column + u32(clamp(begin + base + k, 0, last_z)) * plane;
            around[k] = neighbours(channel, at, id.x, here[k]);
        }
        for (var k = 0; k < i32(BATCH); k = k + 1) {
            coming[k] = load(channel, column + u32(clamp(begin + base + i32(BATCH) + k, 0, last_z)) * plane);
        }
        for (var k = 0; k < i32(BATCH); k = k + 1) {
            let last = smoothed(here[k], around[k], id.x);
            let done = ahead[0] + tap_z(i32(RADIUS_Z)) * last;
            for (var j = 0u; j < max(2u * RADIUS_Z, 1u) - 1u; j = j + 1u) {
                ahead[j] = ahead[j + 1u] + tap_z(i32(RADIUS_Z) - 1 - i32(j)) * last;
            }
            ahead[max(2u * RADIUS_Z, 1u) - 1u] = tap_z(i32(RADIUS_Z)) * last;
            let z = i32(first) + base + k - 2 * i32(RADIUS_Z);
            if (z >= i32(first) && z < i32(end)) {
                store(channel, column + u32(z) * plane, done);
            }
        }
    }
}

// Each channel has its own call of `march`: to select the buffers for every sample takes as long as the filter itself.
@compute @workgroup_size(32, 4)
fn along_x_and_z(@builtin(global_invocation_id) id: vec3<u32>) {
    let segment = id.z / CHANNELS;
    let channel = id.z % CHANNELS;
    if (CHANNELS == 1u || channel == 0u) {
        march(0u, segment, id);
    } else if (CHANNELS == 2u || channel == 1u) {
        march(1u, segment, id);
    } else if (CHANNELS == 3u || channel == 2u) {
        march(2u, segment, id);
    } else if (CHANNELS == 4u || channel == 3u) {
        march(3u, segment, id);
    } else if (CHANNELS == 5u || channel == 4u) {
        march(4u, segment, id);
    } else {
        march(5u, segment, id);
    }
}
