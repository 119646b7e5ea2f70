//! The summary of many non-negative errors: moments, shares and quantiles. It does not depend on their order.

mod exact_sum;
mod sums;

pub(crate) use exact_sum::ExactSum;
use serde::Serialize;
pub(crate) use sums::{DistributionSpread, DistributionSums};
use veloxel_core::{Control, Stopped};

/// Values that are looked at between two questions whether to go on: some milliseconds.
const AT_ONCE: usize = 1 << 20;
/// Shares of the quantiles.
const SHARES: [f64; 3] = [0.50, 0.75, 0.95];

/// Mean, spread and quantiles of a set of errors, all in the unit of the errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Distribution {
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation (of the population, not of a sample).
    pub sd: f64,
    /// Median: half of the errors are at most this large (nearest rank).
    pub a50: f64,
    /// 75 % of the errors are at most this large.
    pub a75: f64,
    /// 95 % of the errors are at most this large.
    pub a95: f64,
    /// The largest error.
    pub max: f64,
}

impl Distribution {
    /// Summarises finite errors and may reorder them on the way; `None` if there are none.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn measure(errors: &mut [f32], control: &Control) -> Result<Option<Self>, Stopped> {
        if errors.is_empty() {
            return Ok(None);
        }
        let n = errors.len() as f64;
        let mean = sum(errors, f64::from, control)? / n;
        let variance = sum(errors, |e| (f64::from(e) - mean).powi(2), control)? / n;
        let max = errors.iter().copied().fold(f32::MIN, f32::max);
        let mut quantiles = [0.0; 3];
        for (found, share) in quantiles.iter_mut().zip(SHARES) {
            *found = quantile(errors, share, control)?;
        }
        let [a50, a75, a95] = quantiles;
        Ok(Some(Self { mean, sd: variance.sqrt(), a50, a75, a95, max: f64::from(max) }))
    }
}

/// The sum over all values.
fn sum(values: &[f32], term: impl Fn(f32) -> f64, control: &Control) -> Result<f64, Stopped> {
    let mut sum = ExactSum::default();
    for values in values.chunks(AT_ONCE) {
        control.check()?;
        values.iter().for_each(|&value| sum.add(term(value)));
    }
    Ok(sum.value())
}

/// The smallest value that at least `share` of the values do not exceed (nearest rank); may reorder `values`.
///
/// # Panics
/// If there are no values.
pub(crate) fn quantile(values: &mut [f32], share: f64, control: &Control) -> Result<f64, Stopped> {
    let index = rank(share, values.len());
    if values.len() > AT_ONCE {
        return nth_of_many(values, index, control);
    }
    control.check()?;
    let (_, value, _) = values.select_nth_unstable_by(index, f32::total_cmp);
    Ok(f64::from(*value))
}

/// The place of a quantile in the order of so many values.
fn rank(share: f64, count: usize) -> usize {
    ((share * count as f64).ceil() as usize).clamp(1, count) - 1
}

/// The value at a place in the order of all ([`f32::total_cmp`]), by counting the upper halves of their bits, and then the lower
/// halves of those that share the upper one.
fn nth_of_many(values: &[f32], index: usize, control: &Control) -> Result<f64, Stopped> {
    let mut below = index;
    let mut half = |of: &dyn Fn(u32) -> Option<usize>| {
        let mut counts = vec![0usize; 1 << 16];
        for values in values.chunks(AT_ONCE) {
            control.check()?;
            values.iter().filter_map(|value| of(ordered_bits(*value))).for_each(|half| counts[half] += 1);
        }
        let mut nth = 0;
        while counts[nth] <= below {
            below -= counts[nth];
            nth += 1;
        }
        Ok(nth as u32)
    };
    let upper = half(&|bits| Some((bits >> 16) as usize))?;
    let lower = half(&|bits| (bits >> 16 == upper).then_some((bits & 0xffff) as usize))?;
    Ok(f64::from(of_ordered_bits(upper << 16 | lower)))
}

/// Bits that are in the order of the values.
fn ordered_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

fn of_ordered_bits(bits: u32) -> f32 {
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}

/// Quantiles of the finite values at the given shares (0 to 1): for each share the smallest value that at least this share of
/// them does not exceed; none if no value is finite.
pub fn finite_quantiles<const N: usize>(
    values: impl IntoIterator<Item = f32>,
    shares: [f64; N],
) -> Option<[f64; N]> {
    let mut values: Vec<f32> = values.into_iter().filter(|v| v.is_finite()).collect();
    // Those of a picture take no time to stop.
    let (never, mut found) = (Control::default(), [0.0; N]);
    if values.is_empty() {
        return None;
    }
    for (found, share) in found.iter_mut().zip(shares) {
        *found = quantile(&mut values, share, &never).ok()?;
    }
    Some(found)
}

/// The share of errors above a threshold.
pub(crate) fn share_above(errors: &[f32], threshold: f32) -> f64 {
    errors.iter().filter(|&&e| e > threshold).count() as f64 / errors.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_hundred() {
        let mut errors: Vec<f32> = (1..=100).rev().map(|v| v as f32).collect();
        let d = Distribution::measure(&mut errors, &Control::default()).unwrap().unwrap();
        assert_eq!((d.a50, d.a75, d.a95, d.max), (50.0, 75.0, 95.0, 100.0));
        assert!((d.mean - 50.5).abs() < 1e-12);
        assert!((d.sd - (9999.0f64 / 12.0).sqrt()).abs() < 1e-9);
        assert_eq!(share_above(&errors, 90.0), 0.1);
    }

    #[test]
    fn nothing_has_no_summary() {
        assert_eq!(Distribution::measure(&mut [], &Control::default()), Ok(None));
    }

    #[test]
    fn many_values_have_the_quantiles_that_sorting_gives() {
        let hash = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) as u32;
        let value = |n: usize| {
            f32::from_bits(hash(n) & 0x7fff_ffff).min(1e30) - if n.is_multiple_of(3) { 2.0 } else { 0.0 }
        };
        let mut values: Vec<f32> = (0..AT_ONCE + 1000).map(value).collect();
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        for share in [0.0, 0.01, 0.5, 0.95, 1.0] {
            let rank = ((share * sorted.len() as f64).ceil() as usize).max(1);
            let found = quantile(&mut values, share, &Control::default()).unwrap();
            assert_eq!(found.to_bits(), f64::from(sorted[rank - 1]).to_bits(), "{share}");
        }
        let stopped = Control::default();
        stopped.stop();
        assert_eq!(quantile(&mut values, 0.5, &stopped), Err(Stopped));
    }
}
