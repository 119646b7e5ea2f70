// The angle of a point (x, y), radians: the same operations in the same order as arctangent.rs.
fn arctangent2(y: f32, x: f32) -> f32 {
    let across = abs(x);
    let up = abs(y);
    let is_steep = up > across;
    let least = select(up, across, is_steep);
    let most = select(across, up, is_steep);
    let ratio = least / select(1.0, most, most > 0.0);
    let square = ratio * ratio;
    var sum = -0.01711508 + square * 3.1066937e-3;
    sum = 0.04443082 + square * sum;
    sum = -0.07655666 + square * sum;
    sum = 0.10714511 + square * sum;
    sum = -0.14223313 + square * sum;
    sum = 0.1999526 + square * sum;
    sum = -0.33333215 + square * sum;
    let small = ratio + ratio * square * sum;
    // A single sum: a shader compiler would otherwise combine two constants.
    let is_behind = x < 0.0;
    let start = select(select(0.0, 3.14159274, is_behind), 1.57079637, is_steep);
    let half = start + select(small, -small, is_steep != is_behind);
    return select(half, -half, y < 0.0);
}

// The angle in units of 2⁻¹⁵ turns, with an error of less than 0.02 units.
fn turn_steps(y: f32, x: f32) -> f32 {
    let across = abs(x);
    let up = abs(y);
    let is_steep = up > across;
    let least = select(up, across, is_steep);
    let most = select(across, up, is_steep);
    let ratio = least / select(1.0, most, most > 0.0);
    let square = ratio * ratio;
    var sum = 295.12747 + square * -68.477425;
    sum = -628.1622 + square * sum;
    sum = 1018.7694 + square * sum;
    sum = -1736.4343 + square * sum;
    sum = 5215.162 + square * sum;
    let small = ratio * sum;
    let is_behind = x < 0.0;
    let start = select(select(0.0, 16384.0, is_behind), 8192.0, is_steep);
    let half = start + select(small, -small, is_steep != is_behind);
    return select(half, -half, y < 0.0);
}
