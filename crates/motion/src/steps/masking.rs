//! Masks on methods whose filters see the whole image: outside of the mask nothing is known.
//!
//! What such a method finds outside is left out of its result. Samples there that are not finite are replaced before, so that
//! they do not spread through the filters.

use crate::error::Result;
use crate::method::pending_flow::DenseFlow;
use veloxel_core::{Mask, Volume};

/// The image with the mean of what lies inside wherever it is not finite outside; none if it can stay as it is.
///
/// # Errors
/// [`MotionError::Input`](crate::MotionError::Input) if image and mask lie on two grids.
pub fn without_unknown(image: &Volume<f32>, mask: &Mask) -> Result<Option<Volume<f32>>> {
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

impl DenseFlow {
    /// The flow inside the mask alone: elsewhere it is NaN, and the confidence 0.
    ///
    /// # Errors
    /// [`MotionError::Input`](crate::MotionError::Input) if flow and mask lie on two grids.
    pub fn within(mut self, mask: &Mask) -> Result<Self> {
        self.flow.grid().require_same(mask.grid(), "fixed image and mask")?;
        self.flow.components_vox_mut().for_each(|c| leave_out(c, mask, f32::NAN));
        leave_out(self.confidence.data_mut(), mask, 0.0);
        Ok(self)
    }
}

/// Replaces the samples outside of a mask.
pub(crate) fn leave_out(samples: &mut [f32], mask: &Mask, nothing: f32) {
    for (sample, inside) in samples.iter_mut().zip(mask.data()) {
        if !inside {
            *sample = nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Flow, FlowStatistics, Grid};

    #[test]
    fn nothing_is_known_outside() {
        let grid = Grid::image(4, 2).unwrap();
        let flow = Flow::from_fn(grid.clone(), |[x, ..]| [if x == 1.0 { f64::NAN } else { 0.5 }, 0.0, 0.0]);
        let confidence = Volume::from_fn(grid.clone(), |[x, ..]| 0.25 * x as f32);
        let mask = Mask::from_fn(grid, |[x, ..]| x < 3);
        let statistics = FlowStatistics::default();
        let found = DenseFlow::bare(flow, confidence, statistics);
        let kept = found.within(&mask).unwrap();
        for i in [3, 7] {
            assert!(kept.flow.components_vox().all(|c| c[i].is_nan()));
            assert_eq!(kept.confidence.data()[i], 0.0);
        }
        assert!(kept.flow.is_valid(0) && !kept.flow.is_valid(1) && kept.flow.is_valid(2));
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
