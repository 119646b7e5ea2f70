//! What is decided once for the whole images, so that tiles agree.

use crate::{IntensityMap, Pair, Result};
use veloxel_core::{Mask, Volume};
use veloxel_gpu::Device;

/// Samples that percentiles are taken from, at most.
const MOST_SAMPLES: usize = 1 << 20;
/// With fewer, every sample counts.
const FEWEST_SAMPLES: usize = 1000;

/// The maps of the fixed image's intensities, within its mask, and of the moving one's.
///
/// # Errors
/// [`MotionError::Input`](crate::MotionError::Input) for a sample that is not finite where it counts;
/// [`MotionError::Compute`](crate::MotionError::Compute).
pub(super) fn intensities(device: &Device, pair: &Pair<'_>) -> Result<[Option<IntensityMap>; 2]> {
    pair.fixed.require_finite("the fixed image", |i| pair.mask.is_some_and(|mask| !mask.data()[i]))?;
    pair.moving.require_finite("the moving image", |_| false)?;
    Ok([percentiles(device, pair.fixed, pair.mask)?, percentiles(device, pair.moving, None)?])
}

fn percentiles(device: &Device, image: &Volume<f32>, mask: Option<&Mask>) -> Result<Option<IntensityMap>> {
    let take = |step: usize| -> Vec<f32> {
        let counts = |i: &usize| mask.is_none_or(|mask| mask.data()[*i]);
        (0..image.data().len()).step_by(step).filter(counts).map(|i| image.data()[i]).collect()
    };
    let step = (image.data().len() / MOST_SAMPLES).max(1);
    let mut samples = take(step);
    if step > 1 && samples.len() < FEWEST_SAMPLES {
        samples = take(1);
    }
    if samples.is_empty() {
        return Ok(None);
    }
    IntensityMap::percentiles(device, &device.upload(samples)?, None)
}
