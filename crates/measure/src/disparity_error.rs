//! Error of an estimated disparity against the true one, on one grid.
//!
//! *Sources*: bad pixels: D. Scharstein, R. Szeliski, "A taxonomy and evaluation of dense two-frame stereo
//! correspondence algorithms", IJCV 47, 2002, section 5.1, doi 10.1023/A:1014573219977; mean absolute error, deviation,
//! density and share under half a pixel: K. Pauwels et al., IEEE Transactions on Computers 61(7), 2012, Table 5,
//! doi 10.1109/TC.2011.120; D1: M. Menze, A. Geiger, "Object scene flow for autonomous vehicles", CVPR 2015, section 5.
//!
//! *Where we differ*: every share is given twice, among the pixels that were matched, and among all true ones with the
//! unmatched counted as wrong; otherwise a method that matches only easy pixels would look as good as one that matches all.

use crate::distribution::{Distribution, share_above};
use crate::error::MeasureError;
use crate::flow_error::is_outlier;
use serde::Serialize;
use veloxel_core::{Control, Mask, Volume};

/// Pixels that are looked at between two questions whether to go on: some milliseconds.
const PIXELS_AT_ONCE: usize = 1 << 20;

/// How far an estimated disparity is from the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DisparityError {
    /// Pixels inside the mask at which the truth is known.
    pub truth_pixels: usize,
    /// Pixels with a known truth at which there is an estimate; all errors are measured there.
    pub measured_pixels: usize,
    /// `measured_pixels / truth_pixels`.
    pub density: f64,
    /// Absolute error, pixels: its mean is the MAE, its `sd` the spread of the absolute errors.
    pub absolute_px: Distribution,
    /// Mean of estimate minus truth, pixels.
    pub mean_signed_px: f64,
    /// Share of measured pixels wrong by more than 0.5, 1 and 2 pixels.
    pub bad_measured: BadShares,
    /// Share of wrong pixels among all true pixels, unmatched ones counted as wrong.
    pub bad_all: BadShares,
}

/// Shares of wrong pixels, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BadShares {
    /// Share of pixels wrong by more than half a pixel.
    pub bad_0_5: f64,
    /// Share of pixels wrong by more than one pixel.
    pub bad_1: f64,
    /// Share of pixels wrong by more than two pixels.
    pub bad_2: f64,
    /// KITTI's D1: share of pixels wrong by more than three pixels and by more than 5 % of the true disparity.
    pub d1: f64,
}

/// Measures `estimate` against `truth` (both pixels, NaN where unknown), within `mask` if there is one.
///
/// # Errors
/// [`MeasureError::Core`] if the grids differ; [`MeasureError::NothingToMeasure`] if no pixel is left.
pub fn disparity_error(
    estimate: &Volume<f32>,
    truth: &Volume<f32>,
    mask: Option<&Mask>,
    control: &Control,
) -> Result<DisparityError, MeasureError> {
    truth.grid().require_same(estimate.grid(), "truth and estimate")?;
    if let Some(mask) = mask {
        truth.grid().require_same(mask.grid(), "truth and mask")?;
    }
    let (mut truth_pixels, mut signed_sum, mut outliers) = (0, 0.0, 0usize);
    let mut absolute = Vec::new();
    let mut pace = control.once_in(PIXELS_AT_ONCE);
    for (i, (&t, &e)) in truth.data().iter().zip(estimate.data()).enumerate() {
        pace.step()?;
        if !t.is_finite() || mask.is_some_and(|m| !m.data()[i]) {
            continue;
        }
        truth_pixels += 1;
        if e.is_finite() {
            let signed = f64::from(e) - f64::from(t);
            signed_sum += signed;
            absolute.push(signed.abs() as f32);
            outliers += usize::from(is_outlier(signed.abs(), f64::from(t).abs()));
        }
    }
    let measured_pixels = absolute.len();
    let bad = |share: fn(usize, f64, usize) -> f64| {
        let of = |wrong: f64| share(measured_pixels, wrong, truth_pixels);
        let above = |limit: f32| of(share_above(&absolute, limit));
        let d1 = of(outliers as f64 / measured_pixels.max(1) as f64);
        BadShares { bad_0_5: above(0.5), bad_1: above(1.0), bad_2: above(2.0), d1 }
    };
    let bad_measured = bad(|_, share, _| share);
    let bad_all =
        bad(|measured, share, all| (share * measured as f64 + (all - measured) as f64) / all.max(1) as f64);
    let nothing = || MeasureError::nothing("disparity error", "estimate and truth are nowhere both known");
    Ok(DisparityError {
        truth_pixels,
        measured_pixels,
        density: measured_pixels as f64 / truth_pixels.max(1) as f64,
        mean_signed_px: signed_sum / measured_pixels.max(1) as f64,
        bad_measured,
        bad_all,
        absolute_px: Distribution::measure(&mut absolute, control)?.ok_or_else(nothing)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn volume(values: &[f32]) -> Volume<f32> {
        Volume::new(Grid::image(values.len(), 1).unwrap(), values.to_vec()).unwrap()
    }

    #[test]
    fn every_share_is_told_with_and_without_the_unmatched() {
        let truth = volume(&[10.0, 10.0, 10.0, 10.0, f32::NAN]);
        let estimate = volume(&[10.25, 9.25, 13.0, f32::NAN, 5.0]);
        let error = disparity_error(&estimate, &truth, None, &Control::default()).unwrap();
        assert_eq!((error.truth_pixels, error.measured_pixels, error.density), (4, 3, 0.75));
        assert!((error.absolute_px.mean - 4.0 / 3.0).abs() < 1e-12);
        assert!((error.mean_signed_px - 2.5 / 3.0).abs() < 1e-12);
        let thirds = |n: f64| n / 3.0;
        let measured = error.bad_measured;
        assert_eq!(
            (measured.bad_0_5, measured.bad_1, measured.bad_2),
            (thirds(2.0), thirds(1.0), thirds(1.0))
        );
        assert_eq!((error.bad_all.bad_0_5, error.bad_all.bad_1, error.bad_all.bad_2), (0.75, 0.5, 0.5));
    }

    #[test]
    fn an_outlier_is_wrong_by_three_pixels_and_by_five_percent() {
        let truth = volume(&[10.0, 100.0, 100.0, 10.0, 10.0]);
        let estimate = volume(&[13.5, 104.0, 106.0, 12.5, f32::NAN]);
        let error = disparity_error(&estimate, &truth, None, &Control::default()).unwrap();
        assert_eq!((error.bad_measured.d1, error.bad_all.d1), (0.5, 0.6));
    }

    #[test]
    fn errors_outside_the_mask_do_not_count() {
        let (truth, estimate) = (volume(&[1.0, 2.0, 3.0]), volume(&[1.0, 9.0, 3.0]));
        let mask = Mask::from_fn(truth.grid().clone(), |[x, ..]| x != 1);
        let error = disparity_error(&estimate, &truth, Some(&mask), &Control::default()).unwrap();
        assert_eq!((error.truth_pixels, error.absolute_px.max), (2, 0.0));
    }

    #[test]
    fn other_grids_and_nothing_to_compare_are_refused() {
        let truth = volume(&[1.0, f32::NAN]);
        assert!(matches!(
            disparity_error(&volume(&[1.0]), &truth, None, &Control::default()),
            Err(MeasureError::Core(_))
        ));
        let nowhere = volume(&[f32::NAN, 1.0]);
        assert!(matches!(
            disparity_error(&nowhere, &truth, None, &Control::default()),
            Err(MeasureError::NothingToMeasure { .. })
        ));
    }
}
