//! What happens to images before any method sees them: checks, and one intensity map for both.

use crate::MotionError;
use veloxel_compute::kernels::pointwise::map_affine;
use veloxel_compute::{Buffer, Device};
use veloxel_core::{Mask, Volume};

/// Intensities `lower..upper` become `0..1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntensityMap {
    /// Becomes 0.
    pub lower: f32,
    /// Becomes 1.
    pub upper: f32,
}

/// Samples that a percentile is taken from, at most: its error is then below 0.05 %.
const MOST_SAMPLES: usize = 1 << 20;

impl IntensityMap {
    /// Nothing changes.
    pub const IDENTITY: Self = Self { lower: 0.0, upper: 1.0 };

    /// The 0.5 and 99.5 percentiles (within the mask); none if they coincide, which leaves nothing to see.
    pub fn percentiles(image: &Volume<f32>, mask: Option<&Mask>) -> Option<Self> {
        let inside = |i: &usize| mask.is_none_or(|m| m.data()[*i]);
        let step = (image.data().len() / MOST_SAMPLES).max(1);
        let pick = |step: usize| -> Vec<f32> {
            (0..image.data().len()).step_by(step).filter(inside).map(|i| image.data()[i]).collect()
        };
        let mut samples = pick(step);
        if samples.len() < 1000 {
            samples = pick(1);
        }
        let last = samples.len().checked_sub(1)?;
        let mut quantile =
            |q: f64| *samples.select_nth_unstable_by((q * last as f64).round() as usize, f32::total_cmp).1;
        let (mut lower, mut upper) = (quantile(0.005), quantile(0.995));
        if upper <= lower {
            // Almost everything is one value: what is left of the picture are its extremes.
            (lower, upper) = (quantile(0.0), quantile(1.0));
        }
        // The range must hold more than rounding errors.
        let scale = lower.abs().max(upper.abs());
        (upper - lower > 1e-6 * scale).then_some(Self { lower, upper })
    }

    /// The mapped image on the device; NaN, which only a mask can have let through, becomes 0.
    ///
    /// # Errors
    /// [`MotionError::Compute`].
    pub fn upload(&self, device: &Device, image: &Volume<f32>) -> Result<Buffer, MotionError> {
        let mut out = device.upload_copy(image.data())?;
        let gain = 1.0 / (self.upper - self.lower);
        map_affine(device, (gain, -self.lower * gain), &mut out)?;
        Ok(out)
    }
}

/// Checks that both images are finite (the fixed one within the mask) and lie on one grid.
///
/// # Errors
/// [`MotionError::Input`] with what differs, or with the first NaN's position.
pub fn check_pair(fixed: &Volume<f32>, moving: &Volume<f32>, mask: Option<&Mask>) -> Result<(), MotionError> {
    fixed.grid().require_same(
        moving.grid(),
        "fixed and moving image must lie on one grid; resample the moving one onto the fixed one first \
         (SimpleITK: Resample(moving, fixed); 3D Slicer: Resample Image)",
    )?;
    if let Some(mask) = mask {
        fixed.grid().require_same(mask.grid(), "fixed image and mask")?;
    }
    fixed.require_finite("the fixed image", |i| mask.is_some_and(|m| !m.data()[i]))?;
    moving.require_finite("the moving image", |_| false)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn outliers_do_not_move_the_map() {
        let grid = Grid::image(100, 100).unwrap();
        let image = Volume::from_fn(grid.clone(), |[x, y, _]| if (x, y) == (3, 3) { 1e9 } else { x as f32 });
        let map = IntensityMap::percentiles(&image, None).unwrap();
        assert_eq!((map.lower, map.upper), (0.0, 99.0));
        assert_eq!(IntensityMap::percentiles(&Volume::from_fn(grid, |_| 7.0), None), None);
    }
}
