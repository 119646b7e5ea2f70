//! End-point and angular error of an estimated field against the true one, on one grid.
//!
//! *Sources*: angular error: J. L. Barron, D. J. Fleet, S. S. Beauchemin, "Performance of optical flow techniques",
//! IJCV 12(1), 1994, section 4; robustness and accuracy measures: S. Baker, D. Scharstein, J. P. Lewis, S. Roth,
//! M. J. Black, R. Szeliski, "A database and evaluation methodology for optical flow", IJCV 92(1), 2011, section 4.1,
//! doi 10.1007/s11263-010-0390-2; share of angles below 5°: K. Pauwels et al., IEEE Transactions on Computers 61(7), 2012,
//! section 6.2.2, doi 10.1109/TC.2011.120; Fl: M. Menze, A. Geiger, "Object scene flow for autonomous vehicles", CVPR 2015, section 5.
//!
//! *Where we differ*: in 3-D the angle is the one between `(u, v, w, 1)` and `(u', v', w', 1)`.

mod sums;

use crate::distribution::Distribution;
use crate::error::MeasureError;
use serde::Serialize;
use veloxel_core::matrix3::apply;
use veloxel_core::{Dimension, Flow, Grid, Mask, Portion, Threads, Volume};

pub use sums::{ComparedFlows, FlowErrorSpread, FlowErrorSums};

/// Voxels that are looked at between two questions whether to go on: some milliseconds.
const VOXELS_AT_ONCE: usize = 1 << 17;

/// How far an estimated field is from the truth, over the voxels where both are valid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FlowError {
    /// Voxels inside the mask at which the truth is valid.
    pub truth_voxels: usize,
    /// Voxels with a valid truth at which the estimate is valid too; all errors are measured there.
    pub measured_voxels: usize,
    /// `measured_voxels / truth_voxels`.
    pub density: f64,
    /// Length of the difference vector, voxels.
    pub end_point_vox: Distribution,
    /// Share of measured voxels with an end-point error above 0.5 voxel.
    pub r0_5: f64,
    /// Share of measured voxels with an end-point error above 1 voxel.
    pub r1: f64,
    /// Share of measured voxels with an end-point error above 2 voxels.
    pub r2: f64,
    /// KITTI's Fl: share of measured voxels with an end-point error above 3 voxels and above 5 % of the true length.
    pub fl: f64,
    /// Share of voxels that KITTI counts as wrong among all true voxels, unknown ones counted as wrong.
    pub fl_all: f64,
    /// Length of the difference vector, millimetres; only where the grid is a physical one (every volume, and
    /// images with a spacing other than 1).
    pub end_point_mm: Option<Distribution>,
    /// Angle between the space-time directions, degrees; its `sd` is the papers' STD.
    pub angular_deg: Distribution,
    /// Share of measured voxels with an angle below 5 degrees.
    pub angle_below_5_deg: f64,
    /// Mean length of the true vectors at the measured voxels, voxels: what estimating no motion would cost.
    pub mean_truth_vox: f64,
    /// Dimension of the grid: lengths count pixels in 2-D, voxels in 3-D.
    #[serde(skip)]
    pub dimension: Dimension,
}

/// Measures `estimate` against `truth`, within `mask` if there is one; by the calling thread where `threads` is a channel alone.
///
/// # Errors
/// [`MeasureError::Core`] if the grids differ; [`MeasureError::NothingToMeasure`] if no voxel is left; [`MeasureError::Stopped`].
pub fn flow_error<'a>(
    estimate: &Flow,
    truth: &Flow,
    mask: Option<&Mask>,
    threads: impl Into<Threads<'a>>,
) -> Result<FlowError, MeasureError> {
    require_one_grid(estimate, truth, mask)?;
    let (grid, compared) = (truth.grid(), ComparedFlows { estimate, truth, mask });
    let threads = threads.into().for_samples(grid.len());
    let control = threads.control();
    // What is kept of a voxel is two counts, not its errors: they are found twice.
    let none = FlowErrorSums::new(grid);
    let first = control.portion(Portion::nth_of(0, 2), || {
        threads.summed(grid.len(), || none.clone(), |own, part| own.add_some(&compared, part, control))
    })?;
    let begun = first.iter().fold(none, FlowErrorSums::and).again()?;
    let second = control.portion(Portion::nth_of(1, 2), || {
        threads.summed(grid.len(), || begun.clone(), |own, part| own.add_some(&compared, part, control))
    })?;
    Ok(second.iter().fold(begun, FlowErrorSpread::and).finish())
}

/// Estimate and truth are nowhere both valid.
const NOTHING: MeasureError = MeasureError::NothingToMeasure {
    what: "flow error",
    reason: "estimate and truth are nowhere both valid",
};

/// Errors of vectors on a grid.
#[derive(Clone, Copy)]
struct VoxelErrors {
    /// Millimetres of a voxel's axes, where lengths mean millimetres.
    matrix: Option<[[f64; 3]; 3]>,
}

/// What is measured of one vector.
struct VoxelError {
    end_point_vox: f32,
    end_point_mm: Option<f32>,
    angular_deg: f32,
    truth_length_vox: f64,
    is_outlier: bool,
}

impl VoxelErrors {
    fn on(grid: &Grid) -> Self {
        Self { matrix: is_physical(grid).then(|| grid.world_from_voxel_matrix()) }
    }

    fn of(&self, estimate: [f32; 3], truth: [f32; 3]) -> VoxelError {
        let (e, t) = (estimate.map(f64::from), truth.map(f64::from));
        let difference = [e[0] - t[0], e[1] - t[1], e[2] - t[2]];
        VoxelError {
            end_point_vox: length(difference) as f32,
            end_point_mm: self.matrix.map(|matrix| length(apply(&matrix, difference)) as f32),
            angular_deg: space_time_angle_deg(e, t) as f32,
            truth_length_vox: length(t),
            is_outlier: is_outlier(length(difference), length(t)),
        }
    }
}

/// Whether KITTI counts an error as an outlier: above 3 pixels and above 5 % of the true length.
pub(crate) fn is_outlier(error: f64, truth: f64) -> bool {
    error > 3.0 && error > 0.05 * truth
}

/// End-point error of every voxel, voxels; NaN where the estimate or the truth is invalid.
///
/// # Errors
/// [`MeasureError::Core`] if the grids differ.
pub fn end_point_error_vox(estimate: &Flow, truth: &Flow) -> Result<Volume<f32>, MeasureError> {
    truth.grid().require_same(estimate.grid(), "truth and estimate")?;
    let at = |i: usize| {
        let (e, t) = (estimate.vector_vox(i), truth.vector_vox(i));
        length([0, 1, 2].map(|a: usize| f64::from(e[a]) - f64::from(t[a]))) as f32
    };
    let data = (0..truth.grid().len()).map(at).map(|e| if e.is_finite() { e } else { f32::NAN }).collect();
    Ok(Volume::new(truth.grid().clone(), data)?)
}

/// Indices inside the mask at which both fields are valid, in the order of the grid.
///
/// # Errors
/// [`MeasureError::Core`] if the grids differ.
pub fn measured_indices(
    estimate: &Flow,
    truth: &Flow,
    mask: Option<&Mask>,
) -> Result<Vec<usize>, MeasureError> {
    require_one_grid(estimate, truth, mask)?;
    Ok((0..truth.grid().len())
        .filter(|&i| truth.is_valid(i) && estimate.is_valid(i) && mask.is_none_or(|m| m.data()[i]))
        .collect())
}

fn require_one_grid(estimate: &Flow, truth: &Flow, mask: Option<&Mask>) -> Result<(), MeasureError> {
    truth.grid().require_same(estimate.grid(), "truth and estimate")?;
    if let Some(mask) = mask {
        truth.grid().require_same(mask.grid(), "truth and mask")?;
    }
    Ok(())
}

/// Whether lengths on this grid mean millimetres: pictures usually come without a spacing.
pub fn is_physical(grid: &Grid) -> bool {
    grid.dimension() == Dimension::Three || grid.spacing_mm()[..2] != [1.0, 1.0]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

/// Angle between `(a, 1)` and `(b, 1)`, degrees. It uses the sine too, because the arc cosine alone loses all digits near 0.
fn space_time_angle_deg(a: [f64; 3], b: [f64; 3]) -> f64 {
    let cosine = dot(a, b) + 1.0;
    // |p ∧ q|² = |p|²|q|² − (p·q)², summed over the coordinate planes to avoid the cancellation
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let sine = (dot(d, d) + dot(cross, cross)).sqrt();
    sine.atan2(cosine).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Control;

    fn image() -> Grid {
        Grid::image(8, 6).unwrap()
    }

    #[test]
    fn a_field_equals_itself() {
        let flow = Flow::from_fn(image(), |[x, y, _]| [x * 0.3, 1.0 - y, 0.0]);
        let error = flow_error(&flow, &flow, None, &Control::default()).unwrap();
        assert_eq!((error.end_point_vox.max, error.angular_deg.max, error.density), (0.0, 0.0, 1.0));
        assert_eq!(error.angle_below_5_deg, 1.0);
    }

    #[test]
    fn the_angle_is_the_one_of_space_and_time() {
        let zero = Flow::zeros(image());
        let right = Flow::from_fn(image(), |_| [1.0, 0.0, 0.0]);
        let error = flow_error(&right, &zero, None, &Control::default()).unwrap();
        assert!((error.angular_deg.mean - 45.0).abs() < 1e-5, "{error:?}");
        assert_eq!((error.end_point_vox.mean, error.r0_5, error.r1), (1.0, 1.0, 0.0));
        assert_eq!(error.end_point_mm, None);
        assert_eq!(error.angle_below_5_deg, 0.0);
        // 4° and 6° from the time axis, half of the pixels each.
        let slow = |x: f64| if x < 4.0 { 4f64 } else { 6.0 }.to_radians().tan();
        let slanted = Flow::from_fn(image(), |[x, _, _]| [slow(x), 0.0, 0.0]);
        assert_eq!(flow_error(&slanted, &zero, None, &Control::default()).unwrap().angle_below_5_deg, 0.5);
    }

    #[test]
    fn density_counts_within_mask_and_truth() {
        let mut truth = Flow::zeros(image());
        let mut estimate = Flow::from_fn(image(), |[x, _, _]| [if x < 4.0 { 0.0 } else { 3.0 }, 0.0, 0.0]);
        for component in truth.components_vox_mut() {
            component[0] = f32::NAN;
        }
        for component in estimate.components_vox_mut() {
            component[1] = f32::NAN;
        }
        let mask = Mask::from_fn(image(), |[x, _, _]| x < 4);
        let error = flow_error(&estimate, &truth, Some(&mask), &Control::default()).unwrap();
        assert_eq!((error.truth_voxels, error.measured_voxels), (23, 22));
        assert_eq!(error.end_point_vox.max, 0.0, "errors outside the mask do not count");
        assert_eq!(flow_error(&estimate, &truth, None, &Control::default()).unwrap().r2, 24.0 / 46.0);
        let map = end_point_error_vox(&estimate, &truth).unwrap();
        assert!(map.data()[0].is_nan() && map.data()[1].is_nan() && map.data()[7] == 3.0);
    }

    #[test]
    fn millimetres_follow_the_spacing() {
        let grid = Grid::volume(4, 4, 4).unwrap().with_spacing_mm([1.0, 1.0, 3.0]).unwrap();
        let up = Flow::from_fn(grid.clone(), |_| [0.0, 0.0, 2.0]);
        let error = flow_error(&up, &Flow::zeros(grid), None, &Control::default()).unwrap();
        assert_eq!(error.end_point_vox.mean, 2.0);
        assert_eq!(error.end_point_mm.unwrap().mean, 6.0);
    }

    #[test]
    fn a_stop_ends_it() {
        let (flow, control) = (Flow::zeros(image()), Control::default());
        control.stop();
        assert!(matches!(flow_error(&flow, &flow, None, &control), Err(MeasureError::Stopped(_))));
    }

    #[test]
    fn other_grids_and_empty_masks_are_refused() {
        let flow = Flow::zeros(image());
        let other = Flow::zeros(Grid::image(8, 7).unwrap());
        assert!(matches!(flow_error(&flow, &other, None, &Control::default()), Err(MeasureError::Core(_))));
        let nowhere = Mask::from_fn(image(), |_| false);
        assert!(matches!(
            flow_error(&flow, &flow, Some(&nowhere), &Control::default()),
            Err(MeasureError::NothingToMeasure { .. })
        ));
    }
}
