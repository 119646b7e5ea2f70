// Weights of the filters of a picture, the centre first: `taps_x` and `taps_y` of the uniform block, three quads each. Along y they
// are asked for by the distance with its sign.

fn tap_x(distance: u32) -> f32 {
    return block.taps_x[distance >> 2u][distance & 3u];
}

fn tap_y(distance: i32) -> f32 {
    let k = u32(abs(distance));
    return block.taps_y[k >> 2u][k & 3u];
}
