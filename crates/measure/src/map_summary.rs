//! The summary of a map: its mean and its range over the voxels where it is known.

use serde::Serialize;

/// Mean and range of a map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MapSummary {
    /// The map's name, which is that of its file.
    pub name: &'static str,
    /// Arithmetic mean over the known voxels; none if there is none.
    pub mean: Option<f64>,
    /// The smallest value.
    pub min: Option<f32>,
    /// The largest value.
    pub max: Option<f32>,
    /// Number of voxels with a value.
    pub known: usize,
    /// Number of voxels without one.
    pub unknown: usize,
    /// Number of voxels whose value is 0 or below: of a determinant those that fold.
    pub not_positive: usize,
}

impl MapSummary {
    /// The summary of a map's values, NaN where they are unknown.
    pub fn of(name: &'static str, values: &[f32]) -> Self {
        let known = || values.iter().copied().filter(|value| value.is_finite());
        let count = known().count();
        let mean = (count > 0).then(|| known().map(f64::from).sum::<f64>() / count as f64);
        Self {
            name,
            mean,
            min: known().reduce(f32::min),
            max: known().reduce(f32::max),
            known: count,
            unknown: values.len() - count,
            not_positive: known().filter(|value| *value <= 0.0).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_voxels_do_not_count() {
        let summary = MapSummary::of("determinant", &[2.0, f32::NAN, -1.0, 0.5]);
        assert_eq!((summary.mean, summary.min, summary.max), (Some(0.5), Some(-1.0), Some(2.0)));
        assert_eq!((summary.known, summary.unknown, summary.not_positive), (3, 1, 1));
        assert_eq!(MapSummary::of("determinant", &[f32::NAN]).mean, None);
    }
}
