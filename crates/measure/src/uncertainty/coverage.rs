//! How many errors lie within the ellipses (ellipsoids) of the covariances, and how large these are.
//!
//! *Source*: an ellipse of a normal distribution that holds the share p is `eᵀ C⁻¹ e ≤ q`, with q the p-quantile of the chi-squared
//! distribution ([`FlowCovariance::level`]).
//! *Radius*: `√(q · tr C / d)`, the root mean square of the d semi-axes: no smaller than that of the circle (ball) of the same content.

use crate::error::MeasureError;
use crate::flow_error::measured_indices;
use serde::Serialize;
use veloxel_core::matrix3::{apply, inverse};
use veloxel_core::{Control, Flow, FlowCovariance, Mask};

/// The shares that ellipses are measured for.
const SHARES: [f64; 3] = [0.5, 0.9, 0.95];
/// Voxels that are looked at between two questions whether to go on.
const VOXELS_AT_ONCE: usize = 1 << 15;

/// The ellipses of one share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EllipseCoverage {
    /// The share of errors that they should hold, 0 to 1.
    pub share: f64,
    /// The share of errors that they hold, 0 to 1.
    pub covered: f64,
    /// Their mean radius, voxels (pixels).
    pub mean_radius_vox: f64,
    /// Their mean radius over the mean error; none where there is no error at all.
    pub radius_over_error: Option<f64>,
}

/// The coverage of the ellipses of 50, 90 and 95 %, within a mask, where estimate, truth and covariance are known.
///
/// # Errors
/// [`MeasureError::Core`] if grids differ; [`MeasureError::NothingToMeasure`] if no voxel is left; [`MeasureError::Stopped`].
pub fn ellipse_coverage(
    estimate: &Flow,
    truth: &Flow,
    covariance: &FlowCovariance,
    mask: Option<&Mask>,
    control: &Control,
) -> Result<Vec<EllipseCoverage>, MeasureError> {
    truth.grid().require_same(covariance.grid(), "truth and covariance")?;
    let axes = truth.grid().dimension().count();
    let levels = SHARES.map(|share| FlowCovariance::level(axes, share));
    let (mut count, mut covered, mut radii, mut errors) = (0usize, [0usize; SHARES.len()], 0.0, 0.0);
    let mut pace = control.once_in(VOXELS_AT_ONCE);
    for voxel in measured_indices(estimate, truth, mask)? {
        pace.step()?;
        let matrix = covariance.matrix_vox2(voxel);
        if matrix[0][0].is_nan() {
            continue;
        }
        let (found, known) = (estimate.vector_vox(voxel), truth.vector_vox(voxel));
        let error = [0, 1, 2].map(|axis: usize| f64::from(found[axis]) - f64::from(known[axis]));
        let distance = within(&matrix, error);
        for (covered, level) in covered.iter_mut().zip(levels) {
            *covered += usize::from(distance <= level);
        }
        let trace: f64 = (0..axes).map(|axis| matrix[axis][axis]).sum();
        radii += (trace / axes as f64).sqrt();
        errors += error.iter().map(|part| part * part).sum::<f64>().sqrt();
        count += 1;
    }
    if count == 0 {
        let nothing = "estimate, truth and covariance are nowhere all known";
        return Err(MeasureError::nothing("coverage", nothing));
    }
    let of = |((share, covered), level): ((f64, usize), f64)| EllipseCoverage {
        share,
        covered: covered as f64 / count as f64,
        mean_radius_vox: level.sqrt() * radii / count as f64,
        radius_over_error: (errors > 0.0).then(|| level.sqrt() * radii / errors),
    };
    Ok(SHARES.into_iter().zip(covered).zip(levels).map(of).collect())
}

/// `eᵀ C⁻¹ e`; infinite for an error beside a covariance that allows none, 0 for no error.
fn within(matrix: &[[f64; 3]; 3], error: [f64; 3]) -> f64 {
    if error == [0.0; 3] {
        return 0.0;
    }
    let weighted = apply(&inverse(matrix), error);
    let distance: f64 = weighted.iter().zip(error).map(|(weighted, part)| weighted * part).sum();
    if distance.is_nan() { f64::INFINITY } else { distance }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;
    use veloxel_core::Grid;

    /// Two numbers of a normal distribution of variance 1, by Box and Muller, of a sequence that repeats nothing.
    fn normal(nth: usize) -> [f64; 2] {
        let uniform = |step: f64, from: f64| ((nth as f64 + 0.5) * step + from).fract().max(1e-12);
        let (radius, angle) =
            ((-2.0 * uniform(0.754_877_666_246_693, 0.5).ln()).sqrt(), uniform(0.569_840_290_998_053, 0.5));
        [radius * (std::f64::consts::TAU * angle).cos(), radius * (std::f64::consts::TAU * angle).sin()]
    }

    #[test]
    fn errors_of_a_normal_distribution_are_covered_as_often_as_the_ellipses_say() {
        let grid = Grid::image(120, 100).unwrap();
        // Errors of covariance [[4, 1], [1, 1]], by its Cholesky factor.
        let estimate = Flow::from_fn(grid.clone(), |[x, y, _]| {
            let [a, b] = normal((y * 120.0 + x) as usize);
            [2.0 * a, 0.5 * a + 0.75f64.sqrt() * b, 0.0]
        });
        let truth = Flow::zeros(grid.clone());
        let matrices = [4.0, 1.0, 1.0].iter().flat_map(|entry| vec![*entry; grid.len()]).collect();
        let covariance = FlowCovariance::from_planar_vox2(grid, matrices).unwrap();
        let found = ellipse_coverage(&estimate, &truth, &covariance, None, &Control::default()).unwrap();
        for own in &found {
            assert!((own.covered - own.share).abs() < 0.01, "{own:?}");
        }
        let radius = (4.605_170f64 * 2.5).sqrt();
        assert!((found[1].mean_radius_vox - radius).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn the_direction_of_an_ellipse_counts() {
        let grid = Grid::image(4, 4).unwrap();
        let along_x = Flow::from_fn(grid.clone(), |_| [2.0, 0.0, 0.0]);
        let matrices = [4.0, 0.0, 0.01].iter().flat_map(|entry| vec![*entry; 16]).collect();
        let covariance = FlowCovariance::from_planar_vox2(grid.clone(), matrices).unwrap();
        let of = |estimate: &Flow| {
            let truth = Flow::zeros(grid.clone());
            ellipse_coverage(estimate, &truth, &covariance, None, &Control::default()).unwrap()[1].covered
        };
        let along_y = Flow::from_fn(grid.clone(), |_| [0.0, 2.0, 0.0]);
        assert_eq!((of(&along_x), of(&along_y)), (1.0, 0.0));
    }

    #[test]
    fn what_is_unknown_is_not_counted() {
        let grid = Grid::image(2, 1).unwrap();
        let estimate = Flow::from_fn(grid.clone(), |[x, ..]| [x, 0.0, 0.0]);
        let truth = Flow::zeros(grid.clone());
        let matrices = vec![1.0, f32::NAN, 0.0, f32::NAN, 1.0, f32::NAN];
        let covariance = FlowCovariance::from_planar_vox2(grid.clone(), matrices).unwrap();
        let found = ellipse_coverage(&estimate, &truth, &covariance, None, &Control::default()).unwrap();
        assert_eq!((found[0].covered, found[0].radius_over_error), (1.0, None));
        let unknown = FlowCovariance::from_planar_vox2(grid, vec![f32::NAN; 6]).unwrap();
        let refused = ellipse_coverage(&estimate, &truth, &unknown, None, &Control::default());
        assert!(matches!(refused, Err(MeasureError::NothingToMeasure { .. })));
    }
}
