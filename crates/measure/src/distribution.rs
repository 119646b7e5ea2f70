//! The summary of many non-negative errors: moments, shares and quantiles.

use serde::Serialize;

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
    /// Summarises finite errors and reorders them on the way; `None` if there are none.
    pub fn measure(errors: &mut [f32]) -> Option<Self> {
        if errors.is_empty() {
            return None;
        }
        let n = errors.len() as f64;
        let mean = errors.iter().map(|&e| f64::from(e)).sum::<f64>() / n;
        let variance = errors.iter().map(|&e| (f64::from(e) - mean).powi(2)).sum::<f64>() / n;
        let max = errors.iter().copied().fold(f32::MIN, f32::max);
        Some(Self {
            mean,
            sd: variance.sqrt(),
            a50: quantile(errors, 0.50),
            a75: quantile(errors, 0.75),
            a95: quantile(errors, 0.95),
            max: f64::from(max),
        })
    }
}

/// The smallest value that at least `share` of the values do not exceed (nearest rank); reorders `values`.
///
/// # Panics
/// If there are no values.
pub(crate) fn quantile(values: &mut [f32], share: f64) -> f64 {
    let rank = (share * values.len() as f64).ceil() as usize;
    let index = rank.clamp(1, values.len()) - 1;
    let (_, value, _) = values.select_nth_unstable_by(index, f32::total_cmp);
    f64::from(*value)
}

/// Quantiles of the finite values at the given shares (0 to 1): for each share the smallest value that at least this share of
/// them does not exceed; none if no value is finite.
pub fn finite_quantiles<const N: usize>(
    values: impl IntoIterator<Item = f32>,
    shares: [f64; N],
) -> Option<[f64; N]> {
    let mut values: Vec<f32> = values.into_iter().filter(|v| v.is_finite()).collect();
    (!values.is_empty()).then(|| shares.map(|share| quantile(&mut values, share)))
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
        let d = Distribution::measure(&mut errors).unwrap();
        assert_eq!((d.a50, d.a75, d.a95, d.max), (50.0, 75.0, 95.0, 100.0));
        assert!((d.mean - 50.5).abs() < 1e-12);
        assert!((d.sd - (9999.0f64 / 12.0).sqrt()).abs() < 1e-9);
        assert_eq!(share_above(&errors, 90.0), 0.1);
    }

    #[test]
    fn nothing_has_no_summary() {
        assert_eq!(Distribution::measure(&mut []), None);
    }
}
