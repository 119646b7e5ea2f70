// Rows are no multiple of four: a thread smooths its own column of every channel.
fn tap_x(k: u32) -> f32 {
    return block.taps_x[k >> 2u][k & 3u];
}

fn kept(at: u32, column: u32) -> f32 {
    return row_memory[at + (column & 3u) * STEP + (column >> 2u)];
}

fn store_row(parity: u32, lane: u32, row: u32, first_x: u32) {
    let x = first_x + lane - PAD;
    if (lane < PAD || lane >= PAD + STRIP || x >= block.size.x) {
        return;
    }
    for (var channel = 0u; channel < CHANNELS; channel = channel + 1u) {
        let part = select(select(2u, 1u, channel < 4u), 4u, channel >= first_left());
        if ((PARTS & part) != 0u) {
            let at = parity * ROW + channel * CHANNEL;
            var sum = tap_x(0u) * kept(at, lane);
            for (var k = 1u; k <= RADIUS_X; k = k + 1u) {
                sum = sum + tap_x(k) * (kept(at, lane - k) + kept(at, lane + k));
            }
            store_out(channel, row + x, sum);
        }
    }
}
