//! How good a confidence is: does the error fall when the least confident vectors are left out?
//!
//! *Source*: E. Ilg et al., "Uncertainty estimates and multi-hypotheses networks for optical flow", ECCV 2018,
//! section 5 (sparsification curves and the area under the sparsification error against the oracle).
//!
//! *Where we differ*: voxels of equal confidence are left out together in equal parts (their mean error counts), so
//! that the order of voxels in memory does not matter and a constant confidence scores as a random order.

use crate::error::MeasureError;
use crate::flow_error::{end_point_error_vox, measured_indices};
use serde::Serialize;
use veloxel_core::{Control, Flow, Mask, Stopped, Volume, sort_by};

/// The mean end-point error of the vectors that are kept, at one share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SparsificationPoint {
    /// Share of vectors kept, 1 to 0.1.
    pub kept: f64,
    /// Mean end-point error of the most confident vectors, voxels.
    pub by_confidence_vox: f64,
    /// Mean end-point error of the vectors with the smallest errors, voxels: the lower bound of any confidence.
    pub oracle_vox: f64,
}

/// The curve at 100, 90, … 10 % and its summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sparsification {
    /// Points of the curve, from all vectors to the most confident tenth.
    pub points: Vec<SparsificationPoint>,
    /// Area between the curve and the oracle's over kept shares 0.01 to 1, errors divided by the mean error of all:
    /// 0 is perfect. `None` if there is no error at all.
    pub ause: Option<f64>,
    /// The same area for a random order: a useful confidence has a smaller `ause`.
    pub ause_uninformed: Option<f64>,
}

/// Measures a confidence (any scale, larger is better, NaN worst) against the errors of its field.
///
/// # Errors
/// [`MeasureError::Core`] if grids differ; [`MeasureError::NothingToMeasure`] if no voxel is left.
pub fn sparsification(
    estimate: &Flow,
    truth: &Flow,
    confidence: &Volume<f32>,
    mask: Option<&Mask>,
    control: &Control,
) -> Result<Sparsification, MeasureError> {
    truth.grid().require_same(confidence.grid(), "truth and confidence")?;
    let measured = measured_indices(estimate, truth, mask)?;
    if measured.is_empty() {
        return Err(MeasureError::nothing("sparsification", "estimate and truth are nowhere both valid"));
    }
    control.check()?;
    let errors = end_point_error_vox(estimate, truth)?;
    control.check()?;
    let rank = |c: f32| if c.is_nan() { f32::NEG_INFINITY } else { c };
    let mut ranked: Vec<(f32, f32)> =
        measured.iter().map(|&i| (rank(confidence.data()[i]), errors.data()[i])).collect();
    let by_confidence = Kept::best_first(&mut ranked, control)?;
    ranked.iter_mut().for_each(|r| r.0 = -r.1);
    let oracle = Kept::best_first(&mut ranked, control)?;

    let all = oracle.mean_error(1.0);
    let points = (1..=10)
        .rev()
        .map(|tenths| {
            let kept = f64::from(tenths) / 10.0;
            SparsificationPoint {
                kept,
                by_confidence_vox: by_confidence.mean_error(kept),
                oracle_vox: oracle.mean_error(kept),
            }
        })
        .collect();
    let area = |error_at: &dyn Fn(f64) -> f64| {
        let excess = |percent: i32| {
            let kept = f64::from(percent) / 100.0;
            (error_at(kept) - oracle.mean_error(kept)) / all
        };
        (all > 0.0).then(|| (1..100).map(|p| 0.005 * (excess(p) + excess(p + 1))).sum())
    };
    Ok(Sparsification {
        points,
        ause: area(&|kept| by_confidence.mean_error(kept)),
        ause_uninformed: area(&|_| all),
    })
}

/// Sum of the errors of the best `k` vectors, for every `k` from 0.
struct Kept {
    error_sums: Vec<f64>,
}

impl Kept {
    /// Sorts `(rank, error)` by falling rank; vectors of equal rank share their mean error.
    fn best_first(ranked: &mut [(f32, f32)], control: &Control) -> Result<Self, Stopped> {
        sort_by(ranked, &|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)), control)?;
        let mut error_sums = Vec::with_capacity(ranked.len() + 1);
        let mut sum = 0.0;
        error_sums.push(sum);
        for equals in ranked.chunk_by(|a, b| a.0 == b.0) {
            let total: f64 = equals.iter().map(|r| f64::from(r.1)).sum();
            for k in 1..=equals.len() {
                error_sums.push(sum + total * k as f64 / equals.len() as f64);
            }
            sum += total;
        }
        Ok(Self { error_sums })
    }

    fn mean_error(&self, kept: f64) -> f64 {
        let count = self.error_sums.len() - 1;
        let k = ((kept * count as f64).round() as usize).clamp(1, count);
        self.error_sums[k] / k as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn ramp() -> (Flow, Flow) {
        let grid = Grid::image(40, 25).unwrap();
        let estimate = Flow::from_fn(grid.clone(), |[x, y, _]| [0.001 * (x * 25.0 + y), 0.0, 0.0]);
        (estimate, Flow::zeros(grid))
    }

    #[test]
    fn a_perfect_confidence_has_no_area() {
        let (estimate, truth) = ramp();
        let confidence = estimate.component_volume(0).map(|e| 1.0 / (1.0 + e));
        let s = sparsification(&estimate, &truth, &confidence, None, &Control::default()).unwrap();
        assert!(s.ause.unwrap().abs() < 1e-6, "{:?}", s.ause);
        assert!(s.points.iter().all(|p| (p.by_confidence_vox - p.oracle_vox).abs() < 1e-6));
        assert!(s.points.windows(2).all(|w| w[1].oracle_vox < w[0].oracle_vox));
        assert_eq!((s.points[0].kept, s.points[9].kept), (1.0, 0.1));
    }

    #[test]
    fn a_constant_confidence_knows_nothing_and_a_wrong_one_is_worse() {
        let (estimate, truth) = ramp();
        let flat = estimate.component_volume(0).map(|_| 0.5);
        let wrong = estimate.component_volume(0);
        let flat = sparsification(&estimate, &truth, &flat, None, &Control::default()).unwrap();
        let wrong = sparsification(&estimate, &truth, &wrong, None, &Control::default()).unwrap();
        assert!((flat.ause.unwrap() - flat.ause_uninformed.unwrap()).abs() < 1e-9);
        // errors fall linearly with the kept share: the area above the oracle is 1/2
        assert!((flat.ause.unwrap() - 0.5).abs() < 0.02, "{flat:?}");
        assert!(wrong.ause.unwrap() > 1.8 * flat.ause.unwrap());
    }

    #[test]
    fn no_error_has_no_area() {
        let (_, truth) = ramp();
        let s =
            sparsification(&truth, &truth, &truth.component_volume(0), None, &Control::default()).unwrap();
        assert_eq!(s.ause, None);
    }
}
