//! A sum of numbers that does not depend on their order: parts of a field may be measured in any.
//!
//! *Source*: R. M. Neal, "Fast exact summation using small and large superaccumulators", 2015, arXiv 1505.05571, section 2.
//! *Where we differ*: digits of 32 bits in words of 64, without the large accumulator.
//! *Cost*: three additions of whole numbers a number.
//! *Limits*: the result is the exact sum rounded once, but where it is below the least normal number, 2^-1022.

use crate::words::Words;

/// Bits of a digit.
const DIGIT: u32 = 32;
/// Digits of all finite numbers, and of sums of 2^63 of them.
const DIGITS: usize = 68;
/// Numbers that are added before digits hand over what exceeds them.
const MOST: u32 = 1 << 30;
/// Bits of a number's fraction.
const FRACTION: u32 = 52;
/// The exponent of the first digit's first bit.
const LEAST: i32 = -1075;

/// A sum of numbers, exact until it is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExactSum {
    digits: [i64; DIGITS],
    /// The sum of those that are not finite.
    not_finite: f64,
    /// How many numbers were added since digits last handed over.
    added: u32,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { digits: [0; DIGITS], not_finite: 0.0, added: 0 }
    }
}

impl ExactSum {
    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        if !value.is_finite() {
            self.not_finite += value;
            return;
        }
        let bits = value.to_bits();
        let exponent = (bits >> FRACTION & 0x7ff) as u32;
        let fraction = bits & ((1 << FRACTION) - 1);
        let whole = if exponent == 0 { fraction } else { fraction | 1 << FRACTION };
        let place = exponent.max(1);
        let (first, shifted) = ((place / DIGIT) as usize, u128::from(whole) << (place % DIGIT));
        let sign = if value.is_sign_negative() { -1 } else { 1 };
        for (nth, digit) in self.digits[first..first + 3].iter_mut().enumerate() {
            *digit += sign * i64::from((shifted >> (DIGIT * nth as u32)) as u32);
        }
        self.added += 1;
        if self.added == MOST {
            self.hand_over();
        }
    }

    /// Adds another sum.
    pub fn and(&mut self, other: &Self) {
        let mut other = other.clone();
        [&mut *self, &mut other].into_iter().for_each(Self::hand_over);
        self.digits.iter_mut().zip(other.digits).for_each(|(digit, other)| *digit += other);
        self.not_finite += other.not_finite;
        self.hand_over();
    }

    /// The sum, rounded to the nearest number.
    pub fn value(&self) -> f64 {
        if self.not_finite != 0.0 {
            return self.not_finite;
        }
        let mut sum = self.clone();
        sum.hand_over();
        let is_negative = sum.digits[DIGITS - 1] < 0;
        if is_negative {
            sum.digits.iter_mut().for_each(|digit| *digit = -*digit);
            sum.hand_over();
        }
        let Some(top) = sum.digits.iter().rposition(|digit| *digit != 0) else { return 0.0 };
        let last = top.saturating_sub(2);
        let leading = sum.digits[last..=top].iter().rev().fold(0, |all, &digit| all << DIGIT | digit as u128);
        // What is below the leading digits decides ties.
        let rest = u128::from(sum.digits[..last].iter().any(|digit| *digit != 0));
        let scale = LEAST + (DIGIT as usize * last) as i32;
        // In two steps: the scale alone may be no number.
        let half = scale / 2;
        let value = (leading | rest) as f64 * f64::powi(2.0, half) * f64::powi(2.0, scale - half);
        if is_negative { -value } else { value }
    }

    /// Leaves 32 bits in each digit but the last.
    fn hand_over(&mut self) {
        let mut over = 0;
        let (last, digits) = self.digits.split_last_mut().expect("there should be digits");
        for digit in digits {
            let all = *digit + over;
            *digit = all & ((1 << DIGIT) - 1);
            over = all >> DIGIT;
        }
        *last += over;
        self.added = 1;
    }
}

impl Words for ExactSum {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        self.digits.visit(visit);
        self.not_finite.visit(visit);
        self.added.visit(visit);
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = Self::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[f64]) -> f64 {
        values.iter().copied().collect::<ExactSum>().value()
    }

    #[test]
    fn sums_are_exact_and_rounded_once() {
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[0.1]), 0.1);
        assert_eq!(sum(&[-0.1, 0.3]), 0.3 - 0.1);
        assert_eq!(sum(&[1e300, 1.0, -1e300]), 1.0);
        assert_eq!(sum(&[1e-300, 1e300, -1e300]), 1e-300);
        assert_eq!(sum(&[-1e300, -1e300]), -2e300);
        assert_eq!(sum(&[f64::MIN_POSITIVE, 3.0, -3.0]), f64::MIN_POSITIVE);
        // Ten times the number nearest to 0.1 is 1 and 2^-54 and more; one after the other rounding loses more.
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!([0.1; 10].iter().sum::<f64>(), 1.0 - f64::EPSILON / 2.0);
        // Half of the last place: to the even one, and away from it where anything follows.
        let half = f64::EPSILON / 2.0;
        assert_eq!(sum(&[1.0, half]), 1.0);
        assert_eq!(sum(&[1.0, half, 1e-200]), 1.0 + f64::EPSILON);
        assert_eq!(sum(&[1.0, half, -1e-200]), 1.0);
        assert_eq!(sum(&[1.0, f64::INFINITY]), f64::INFINITY);
        assert!(sum(&[f64::NEG_INFINITY, f64::INFINITY]).is_nan());
    }

    #[test]
    fn sums_do_not_depend_on_the_order_or_on_parts() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from((seed >> 40) as u32)
                * f64::powi(2.0, (seed >> 33) as i32 % 60 - 40)
                * if seed >> 63 == 0 { 1.0 } else { -1.0 }
        };
        let mut values: Vec<f64> = (0..5000).map(|_| random()).collect();
        let whole = sum(&values);
        values.reverse();
        assert_eq!(sum(&values), whole);
        let mut parts = ExactSum::default();
        for part in values.chunks(617) {
            parts.and(&part.iter().copied().collect());
        }
        assert_eq!(parts.value(), whole);
        // Numbers below 2^63 of one scale have a whole sum that 128 bits hold.
        let whole_numbers: Vec<f64> = values.iter().map(|v| (v * 1e6).trunc()).collect();
        let exact: i128 = whole_numbers.iter().map(|&v| v as i128).sum();
        assert_eq!(sum(&whole_numbers), exact as f64);
    }
}
