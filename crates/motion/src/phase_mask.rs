//! A mask on the results of the phase engine: outside of it nothing is known.
//!
//! Filters see the whole picture, whatever lies outside of the mask; what they find there is left out of the result and of its
//! shares. Samples there that are not finite are replaced before, so that they do not spread through the filters.

use crate::MotionError;
use crate::phase_flow::PhaseFlow;
use crate::phase_report::PhaseReport;
use crate::phase_stereo::PhaseStereo;
use veloxel_core::{Mask, Volume};

/// The image with the mean of what lies inside wherever it is not finite outside; none if it can stay as it is.
///
/// # Errors
/// [`MotionError::Input`] if image and mask lie on two grids.
pub fn without_unknown(image: &Volume<f32>, mask: &Mask) -> Result<Option<Volume<f32>>, MotionError> {
    image.grid().require_same(mask.grid(), "fixed image and mask")?;
    let samples = || image.data().iter().zip(mask.data());
    if !samples().any(|(v, inside)| !inside && !v.is_finite()) {
        return Ok(None);
    }
    let (mut sum, mut count) = (0.0, 0usize);
    for (&v, _) in samples().filter(|(v, inside)| **inside && v.is_finite()) {
        sum += f64::from(v);
        count += 1;
    }
    let mean = (sum / count.max(1) as f64) as f32;
    let mut filled = image.clone();
    for (v, inside) in filled.data_mut().iter_mut().zip(mask.data()) {
        if !inside && !v.is_finite() {
            *v = mean;
        }
    }
    Ok(Some(filled))
}

impl PhaseFlow {
    /// The field inside the mask alone: elsewhere it is NaN, and the confidence 0; shares are those of the inside.
    ///
    /// # Errors
    /// [`MotionError::Input`] if field and mask lie on two grids.
    pub fn within(mut self, mask: &Mask) -> Result<Self, MotionError> {
        self.flow.grid().require_same(mask.grid(), "fixed image and mask")?;
        self.flow.components_vox_mut().iter_mut().for_each(|c| leave_out(c, mask, f32::NAN));
        leave_out(self.confidence.data_mut(), mask, 0.0);
        let estimate = &self.flow.components_vox()[0];
        self.report = PhaseReport::within(mask, &self.report.levels, (estimate, self.confidence.data()));
        Ok(self)
    }
}

impl PhaseStereo {
    /// The disparity inside the mask alone: elsewhere it is NaN, and the confidence 0; shares are those of the inside.
    ///
    /// # Errors
    /// [`MotionError::Input`] if disparity and mask lie on two grids.
    pub fn within(mut self, mask: &Mask) -> Result<Self, MotionError> {
        self.disparity_px.grid().require_same(mask.grid(), "left image and mask")?;
        leave_out(self.disparity_px.data_mut(), mask, f32::NAN);
        leave_out(self.confidence.data_mut(), mask, 0.0);
        let found = (self.disparity_px.data(), self.confidence.data());
        self.report = PhaseReport::within(mask, &self.report.levels, found);
        Ok(self)
    }
}

fn leave_out(samples: &mut [f32], mask: &Mask, nothing: f32) {
    for (sample, inside) in samples.iter_mut().zip(mask.data()) {
        if !inside {
            *sample = nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Flow, Grid};

    #[test]
    fn nothing_is_known_outside_and_shares_are_of_the_inside() {
        let grid = Grid::image(4, 2).unwrap();
        let flow = Flow::from_fn(grid.clone(), |[x, ..]| [if x == 1.0 { f64::NAN } else { 0.5 }, 0.0, 0.0]);
        let confidence = Volume::from_fn(grid.clone(), |[x, ..]| 0.25 * x as f32);
        let levels = vec![[4, 2]];
        let report = PhaseReport { levels: levels.clone(), valid_share: 0.75, mean_confidence: 0.5 };
        let mask = Mask::from_fn(grid, |[x, ..]| x < 3);
        let kept = PhaseFlow { flow, confidence, report }.within(&mask).unwrap();
        for i in [3, 7] {
            assert!(kept.flow.components_vox().iter().all(|c| c[i].is_nan()));
            assert_eq!(kept.confidence.data()[i], 0.0);
        }
        assert!(kept.flow.is_valid(0) && !kept.flow.is_valid(1) && kept.flow.is_valid(2));
        let expected = PhaseReport { levels, valid_share: 4.0 / 6.0, mean_confidence: 0.25 };
        assert_eq!(kept.report, expected);
        let other = Mask::everywhere(Grid::image(2, 4).unwrap());
        let error = kept.within(&other).unwrap_err().to_string();
        assert!(error.contains("fixed image and mask"), "{error}");
    }

    #[test]
    fn only_what_is_unknown_outside_is_replaced() {
        let grid = Grid::image(4, 1).unwrap();
        let mask = Mask::from_fn(grid.clone(), |[x, ..]| x < 2);
        let image = |samples: [f32; 4]| Volume::new(grid.clone(), samples.to_vec()).unwrap();
        assert!(without_unknown(&image([1.0, f32::NAN, 9.0, 9.0]), &mask).unwrap().is_none());
        let filled = without_unknown(&image([1.0, 3.0, 9.0, f32::INFINITY]), &mask).unwrap().unwrap();
        assert_eq!(filled.data(), [1.0, 3.0, 9.0, 2.0]);
    }
}
