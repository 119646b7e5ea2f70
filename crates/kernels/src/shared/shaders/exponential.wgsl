// eˣ and ln(1 + x), accurate to about one ulp, with sums and products only: the same operations in the same order as
// exponential.rs. A compiler might regroup a sum of two products or of constants; such sums are therefore written from
// left to right.

// eˣ: 0 where it is below the smallest normal number; at most e^88.
fn exponential(x: f32) -> f32 {
    let least = -87.0;
    let clamped = clamp(x, least, 88.0);
    let power = floor(clamped * 1.44269502 + 0.5);
    // ln 2 is split into two parts: the product with the first one is exact.
    let high = clamped - power * 0.693359375;
    let rest = high + power * 2.12194442e-4;
    // The polynomial of Cephes.
    var sum = 1.39819994e-3 + rest * 1.98756912e-4;
    sum = 8.33345205e-3 + rest * sum;
    sum = 4.16657962e-2 + rest * sum;
    sum = 0.166666657 + rest * sum;
    sum = 0.5 + rest * sum;
    sum = 1.0 + rest * sum;
    sum = 1.0 + rest * sum;
    let scale = bitcast<f32>(u32(i32(power) + 127) << 23u);
    return select(scale * sum, 0.0, x < least);
}

// ln(1 + x) for x > −1. Near 0: 2 artanh(x / (2 + x)). Elsewhere 1 + x is split into a power of two and a mantissa.
fn logarithm_of_one_plus(x: f32) -> f32 {
    let is_near = x > -0.25 && x < 0.375;
    let bits = bitcast<i32>(1.0 + x);
    let power = (bits - 0x3f3504f3) >> 23u;
    let mantissa = bitcast<f32>(bits - (power << 23u));
    let dividend = select(mantissa - 1.0, x, is_near);
    let divisor = select(mantissa + 1.0, 2.0 + x, is_near);
    let ratio = dividend / divisor;
    let square = ratio * ratio;
    var sum = 0.142857149 + square * 0.111111112;
    sum = 0.2 + square * sum;
    sum = 0.333333343 + square * sum;
    let twice = ratio + ratio;
    let near = twice + twice * square * sum;
    let whole = select(f32(power), 0.0, is_near);
    return near + whole * 0.693147182;
}
