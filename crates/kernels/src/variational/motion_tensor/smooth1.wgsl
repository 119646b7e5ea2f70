// Packs of one sample: the row length is not a multiple of four.

struct Neighbours {
    before: array<f32, 8>,
    after: array<f32, 8>,
}

// The neighbours along x of sample `i`, which is in column `x`. Beyond the border, the border's sample.
fn neighbours(channel: u32, i: u32, x: u32, here: f32) -> Neighbours {
    var found: Neighbours;
    for (var k = 0u; k < RADIUS_X; k = k + 1u) {
        found.before[k] = load(channel, i - min(k + 1u, x));
        found.after[k] = load(channel, i + min(k + 1u, block.size.x - 1u - x));
    }
    return found;
}

fn smoothed(here: f32, around: Neighbours, x: u32) -> f32 {
    var sum = tap_x(0u) * here;
    for (var k = 0u; k < RADIUS_X; k = k + 1u) {
        sum = sum + tap_x(k + 1u) * (around.before[k] + around.after[k]);
    }
    return sum;
}
