//! Whether numbers foretold for vectors come true on the mean: probabilities of small errors, and expected errors.
//!
//! *Source*: M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI 2015
//! (expected calibration error). *Where we differ*: bins hold equally many vectors, not equal ranges, so that none is empty; vectors for
//! which the same was foretold stay in one bin.

use crate::error::MeasureError;
use crate::flow_error::{end_point_error_vox, measured_indices};
use serde::Serialize;
use veloxel_core::{Control, Flow, Mask, Volume, sort_by};

/// Bins of a diagram, at most.
const BINS: usize = 10;

/// What is foretold for every vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Foretold<'a> {
    /// The probability, 0 to 1, that the end-point error is below a threshold.
    Probability {
        /// Its map.
        map: &'a Volume<f32>,
        /// The threshold, voxels.
        within_vox: f64,
    },
    /// The end-point error, voxels.
    Error {
        /// Its map.
        map: &'a Volume<f32>,
    },
}

/// Vectors for which about the same was foretold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReliabilityPoint {
    /// Their share of all vectors, 0 to 1.
    pub share: f64,
    /// What was foretold, on their mean: a probability, or voxels.
    pub foretold: f64,
    /// What was found, on their mean: the share with an error below the threshold, or voxels.
    pub found: f64,
}

/// The reliability diagram and its summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reliability {
    /// The threshold of a probability, voxels; none of expected errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_vox: Option<f64>,
    /// Bins of equally many vectors, by what was foretold, the least first.
    pub points: Vec<ReliabilityPoint>,
    /// The mean distance of what was foretold and what was found over the bins, weighted by their vectors: a probability, or voxels.
    pub expected_calibration_error: f64,
}

/// Compares what was foretold with what was found, within a mask, where estimate, truth and what was foretold are known.
///
/// # Errors
/// [`MeasureError::Core`] if grids differ; [`MeasureError::NothingToMeasure`] if no voxel is left; [`MeasureError::Stopped`].
pub fn reliability(
    estimate: &Flow,
    truth: &Flow,
    foretold: Foretold<'_>,
    mask: Option<&Mask>,
    control: &Control,
) -> Result<Reliability, MeasureError> {
    let (map, within_vox) = match foretold {
        Foretold::Probability { map, within_vox } => (map, Some(within_vox)),
        Foretold::Error { map } => (map, None),
    };
    truth.grid().require_same(map.grid(), "truth and errors that are predicted for it")?;
    let measured = measured_indices(estimate, truth, mask)?;
    control.check()?;
    let errors = end_point_error_vox(estimate, truth)?;
    let found = |voxel: usize| {
        let error = f64::from(errors.data()[voxel]);
        within_vox.map_or(error, |within| if error < within { 1.0 } else { 0.0 })
    };
    let known = measured.into_iter().filter(|voxel| !map.data()[*voxel].is_nan());
    let mut pairs: Vec<(f32, f64)> = known.map(|voxel| (map.data()[voxel], found(voxel))).collect();
    if pairs.is_empty() {
        let nothing = "estimate, truth and what is foretold are nowhere all known";
        return Err(MeasureError::nothing("reliability", nothing));
    }
    sort_by(&mut pairs, &|one, other| one.0.total_cmp(&other.0), control)?;
    let points = points(&pairs);
    let off = |point: &ReliabilityPoint| point.share * (point.foretold - point.found).abs();
    Ok(Reliability { within_vox, expected_calibration_error: points.iter().map(off).sum(), points })
}

/// Bins of sorted pairs of what was foretold and found.
fn points(pairs: &[(f32, f64)]) -> Vec<ReliabilityPoint> {
    let (mut points, mut first) = (Vec::new(), 0);
    for bin in 1..=BINS {
        let mut end = pairs.len() * bin / BINS;
        if end <= first {
            continue;
        }
        // What is equal stays together.
        end += pairs[end..].iter().take_while(|pair| pair.0 == pairs[end - 1].0).count();
        let (own, count) = (&pairs[first..end], (end - first) as f64);
        points.push(ReliabilityPoint {
            share: count / pairs.len() as f64,
            foretold: own.iter().map(|pair| f64::from(pair.0)).sum::<f64>() / count,
            found: own.iter().map(|pair| pair.1).sum::<f64>() / count,
        });
        first = end;
    }
    points
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;
    use veloxel_core::Grid;

    /// An error of 0 to 1 voxel that rises with y, a tenth of the rows each.
    fn ramp() -> (Flow, Flow) {
        let grid = Grid::image(20, 50).unwrap();
        (Flow::from_fn(grid.clone(), |[_, y, _]| [y / 50.0, 0.0, 0.0]), Flow::zeros(grid))
    }

    #[test]
    fn errors_that_come_true_lie_on_the_diagonal() {
        let (estimate, truth) = ramp();
        let map = &estimate.component_volume(0);
        let own = reliability(&estimate, &truth, Foretold::Error { map }, None, &Control::default()).unwrap();
        assert_eq!((own.points.len(), own.within_vox), (10, None));
        assert!(own.expected_calibration_error < 1e-6, "{own:?}");
        let twice = &map.map(|error| 2.0 * error);
        let off = reliability(&estimate, &truth, Foretold::Error { map: twice }, None, &Control::default());
        // As far off as the mean error.
        assert!((off.unwrap().expected_calibration_error - 0.49).abs() < 1e-6);
    }

    #[test]
    fn a_probability_is_the_share_below_the_threshold() {
        let (estimate, truth) = ramp();
        let of = |probability: f32| {
            let map = &estimate.component_volume(0).map(|_| probability);
            let foretold = Foretold::Probability { map, within_vox: 0.3 };
            reliability(&estimate, &truth, foretold, None, &Control::default()).unwrap()
        };
        // 15 of 50 rows are below 0.3; all have one probability, so there is one bin.
        let point = ReliabilityPoint { share: 1.0, foretold: 0.5, found: 0.3 };
        assert_eq!(of(0.5).points, [point]);
        assert!((of(0.5).expected_calibration_error - 0.2).abs() < 1e-9);
    }

    #[test]
    fn maps_of_nothing_are_refused() {
        let (estimate, truth) = ramp();
        let map = &estimate.component_volume(0).map(|_| f32::NAN);
        let refused = reliability(&estimate, &truth, Foretold::Error { map }, None, &Control::default());
        assert!(matches!(refused, Err(MeasureError::NothingToMeasure { .. })));
    }
}
