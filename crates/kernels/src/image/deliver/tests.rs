use super::*;

/// The value of a half, from its definition.
fn value(half: u32) -> f64 {
    let (exponent, digits) = ((half >> 10) & 31, f64::from(half & 0x3ff));
    let size = match exponent {
        0 => digits * 2f64.powi(-24),
        31 => f64::INFINITY,
        _ => (1.0 + digits / 1024.0) * 2f64.powi(exponent as i32 - 15),
    };
    if half & 0x8000 == 0 { size } else { -size }
}

#[test]
fn every_half_stays_and_numbers_between_go_to_the_nearest() {
    for number in 0..=MOST_HALF {
        let here = value(number) as f32;
        assert_eq!((half(here), half(-here)), (number, 0x8000 | number));
        if number == MOST_HALF {
            break;
        }
        let middle = ((value(number) + value(number + 1)) / 2.0) as f32;
        let even = number + (number & 1);
        let (below, above) = (f32::from_bits(middle.to_bits() - 1), f32::from_bits(middle.to_bits() + 1));
        assert_eq!([half(below), half(middle), half(above)], [number, even, number + 1], "{number:#x}");
    }
}

#[test]
fn halves_have_a_largest_number_infinity_and_nan() {
    let cases = [65_519.0, 65_520.0, 1e30, f32::INFINITY, -1e30, f32::NEG_INFINITY];
    let found = cases.map(half);
    assert_eq!(found, [0x7bff, 0x7bff, 0x7bff, 0x7c00, 0xfbff, 0xfc00]);
    assert_eq!([half(f32::NAN), half(-f32::NAN)], [NAN_HALF; 2]);
    assert_eq!([half(f32::MIN_POSITIVE), half(-0.0), half(1e-45)], [0, 0x8000, 0]);
}

#[test]
fn shares_and_angles_are_bytes_within_half_a_step() {
    use std::f32::consts::{PI, TAU};
    assert_eq!([-1.0, 0.0, 0.5, 1.0, 7.0, f32::NAN].map(share), [0, 0, 128, 255, 255, 0]);
    for nth in -2000..2000 {
        let radians = 0.01 * nth as f32;
        let number = angle(radians, 1.0 / TAU);
        assert!(number < 255);
        let off = (number as f32 / 255.0 * TAU - radians).rem_euclid(TAU);
        assert!(off.min(TAU - off) <= 0.5001 * TAU / 255.0 + 1e-4, "{radians}: {number}");
    }
    assert_eq!([0.0, PI, f32::NAN, f32::INFINITY].map(|x| angle(x, 1.0 / PI)), [0, 0, 255, 255]);
}
