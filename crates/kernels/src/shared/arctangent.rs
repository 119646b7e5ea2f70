//! The angle of a point from sums, products and one division: `arctangent.wgsl` does the same in the same order, so that every
//! device computes the same bits. The error is at most 3e-7 radians.

use std::f32::consts::{FRAC_PI_2, PI};

/// The angle atan2(y, x) in [−π, π]; 0 at the origin.
#[inline(always)]
pub(crate) fn arctangent2(y: f32, x: f32) -> f32 {
    let ratio = ratio(y, x);
    let square = ratio * ratio;
    // (atan(r)/r − 1)/r² as a polynomial of r², fitted at Chebyshev's points.
    let mut sum = -0.017_115_08 + square * 3.106_693_7e-3;
    for coefficient in [0.044_430_82, -0.076_556_66, 0.107_145_11, -0.142_233_13, 0.199_952_6, -0.333_332_15]
    {
        sum = coefficient + square * sum;
    }
    unfolded(y, x, ratio + ratio * square * sum, [FRAC_PI_2, PI])
}

/// The angle of [`arctangent2`] in units of 2⁻¹⁵ turns, for phases that are rounded to these units: within 0.02 units of the
/// true angle.
#[inline(always)]
pub(crate) fn turn_steps(y: f32, x: f32) -> f32 {
    let ratio = ratio(y, x);
    let square = ratio * ratio;
    let mut sum = 295.127_47 + square * -68.477_425;
    for coefficient in [-628.162_2, 1_018.769_4, -1_736.434_3, 5_215.162] {
        sum = coefficient + square * sum;
    }
    unfolded(y, x, ratio * sum, [8_192.0, 16_384.0])
}

/// The smaller coordinate over the greater one, without signs; 0 at the origin.
#[inline(always)]
fn ratio(y: f32, x: f32) -> f32 {
    let (across, up) = (x.abs(), y.abs());
    let least = if up > across { across } else { up };
    let most = if up > across { up } else { across };
    least / if most > 0.0 { most } else { 1.0 }
}

/// The angle of a point whose [`ratio`] has the angle `small`; `quarter` and `half` are the values of a quarter and of half a
/// turn.
#[inline(always)]
fn unfolded(y: f32, x: f32, small: f32, [quarter, half]: [f32; 2]) -> f32 {
    let (is_steep, is_behind) = (y.abs() > x.abs(), x < 0.0);
    let flat = if is_behind { half } else { 0.0 };
    // One sum: compilers of shaders would put two constants together.
    let start = if is_steep { quarter } else { flat };
    let angle = start + if is_steep != is_behind { -small } else { small };
    if y < 0.0 { -angle } else { angle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shares_of_a_turn() {
        for k in 0..20_000 {
            let angle = f64::from(k - 10_000) / 10_000.0 * std::f64::consts::PI;
            let (y, x) = (angle.sin() as f32, angle.cos() as f32);
            let expected = f64::from(y).atan2(f64::from(x)) / std::f64::consts::TAU * 32_768.0;
            assert!((f64::from(turn_steps(y, x)) - expected).abs() < 0.02, "{y} {x}");
        }
        assert_eq!(
            [turn_steps(0.0, 0.0), turn_steps(0.0, -1.0), turn_steps(-1.0, 0.0)],
            [0.0, 16_384.0, -8_192.0]
        );
    }

    #[test]
    fn it_is_what_it_is_called() {
        for k in 0..20_000 {
            let angle = f64::from(k - 10_000) / 10_000.0 * std::f64::consts::PI;
            for length in [1e-12, 1.0, 3e9] {
                let (y, x) = ((length * angle.sin()) as f32, (length * angle.cos()) as f32);
                let error = f64::from(arctangent2(y, x)) - f64::from(y).atan2(f64::from(x));
                assert!(error.abs() < 3e-7, "{y} {x}: {error}");
            }
        }
        assert_eq!(
            [arctangent2(0.0, 0.0), arctangent2(0.0, -1.0), arctangent2(1.0, 0.0)],
            [0.0, PI, FRAC_PI_2]
        );
    }
}
