//! The functions eˣ and ln(1 + x) from sums and products alone: `exponential.wgsl` does the same in the same order, so that
//! every device computes the same bits. The errors are at most 0.7 and 1.7 units of the last place.

use std::f32::consts::{LN_2, LOG2_E};

/// The function eˣ: 0 where that would be below the smallest normal number, at most e⁸⁸.
#[inline(always)]
#[allow(clippy::manual_clamp, reason = "NaN must not get through")]
pub(crate) fn exponential(x: f32) -> f32 {
    const LEAST: f32 = -87.0;
    // NaN becomes the least.
    let clamped = x.max(LEAST).min(88.0);
    let floored = clamped * LOG2_E + 0.5;
    // SAFETY: between −126 and 128.
    let below: i32 = unsafe { floored.to_int_unchecked() };
    let power = below - i32::from((below as f32) > floored);
    let whole = power as f32;
    // ln 2 in two parts: the product with the first is exact.
    let high = clamped - whole * 0.693_359_4;
    let rest = high + whole * 2.121_944_4e-4;
    // Cephes' polynomial.
    let mut sum = 1.398_199_9e-3 + rest * 1.987_569_1e-4;
    for coefficient in [8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5, 1.0, 1.0] {
        sum = coefficient + rest * sum;
    }
    if x < LEAST { 0.0 } else { f32::from_bits(((power + 127) as u32) << 23) * sum }
}

/// The function ln(1 + x) for x > −1: 2 artanh(x / (2 + x)) near 0; elsewhere 1 + x is split into a power of two and a
/// remainder.
#[inline(always)]
pub(crate) fn logarithm_of_one_plus(x: f32) -> f32 {
    let (dividend, divisor, power) = if x > -0.25 && x < 0.375 {
        (x, 2.0 + x, 0.0)
    } else {
        let bits = (1.0 + x).to_bits() as i32;
        let power = (bits - 0x3f35_04f3) >> 23;
        let mantissa = f32::from_bits((bits - (power << 23)) as u32);
        (mantissa - 1.0, mantissa + 1.0, power as f32)
    };
    let ratio = dividend / divisor;
    let square = ratio * ratio;
    let mut sum = 0.142_857_15 + square * 0.111_111_11;
    for coefficient in [0.2, 0.333_333_34] {
        sum = coefficient + square * sum;
    }
    let twice = ratio + ratio;
    twice + twice * square * sum + power * LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_they_are_called() {
        for k in -870..880 {
            let x = 0.1 * k as f32 + 0.013;
            let expected = f64::from(x).exp();
            assert!((f64::from(exponential(x)) / expected - 1.0).abs() < 1e-7, "{x}");
        }
        for k in -95..400 {
            let x = 0.01 * k as f32;
            let error = f64::from(logarithm_of_one_plus(x)) - f64::from(x).ln_1p();
            assert!(error.abs() <= 2e-7 * f64::from(x).ln_1p().abs(), "{x}");
        }
        assert_eq!([exponential(0.0), exponential(-1e4), logarithm_of_one_plus(0.0)], [1.0, 0.0, 0.0]);
    }
}
