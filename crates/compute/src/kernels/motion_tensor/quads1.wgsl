// Rows are no multiple of four: a thread smooths its own column of every channel.

// Two rows of up to ten channels: one is read while the next is written.
const ROW: u32 = 3040u;
var<workgroup> row_memory: array<f32, 6080>;

fn put(parity: u32, channel: u32, own: u32, value: f32) {
    row_memory[parity * ROW + channel * PLANES * THREADS + own] = value;
}

fn tap_x(k: u32) -> f32 {
    return block.taps_x[k >> 2u][k & 3u];
}

// What a thread stores of every row.
struct Place {
    // Its place in a channel's row, and the voxel in row 0; whether there is one.
    at: u32,
    i: u32,
    x: u32,
    is_any: bool,
}

fn place_of(own: u32, group: vec3<u32>) -> Place {
    let lane = own % THREADS;
    let x = group.x * STRIP + lane - PAD;
    let z = group.z * PLANES + own / THREADS;
    let is_any = lane >= PAD && lane < PAD + STRIP && x < block.size.x && z < block.size.z;
    return Place(own, z * block.size.y * block.size.x + x, x, is_any);
}

fn store_row(parity: u32, place: Place, y: u32) {
    if (!place.is_any) {
        return;
    }
    let x = place.x;
    for (var channel = 0u; channel < CHANNELS; channel = channel + 1u) {
        if (is_made(channel)) {
            let at = parity * ROW + channel * PLANES * THREADS + place.at;
            var sum = tap_x(0u) * row_memory[at];
            for (var k = 1u; k <= RADIUS_X; k = k + 1u) {
                let after = min(k, block.size.x - 1u - x);
                sum = sum + tap_x(k) * (row_memory[at - min(k, x)] + row_memory[at + after]);
            }
            store_out(channel, place.i + y * block.size.x, sum);
        }
    }
}
