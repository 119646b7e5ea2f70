//! Local normalisation: `out = (I − μ) / (s + c)` with mean μ and standard deviation s under a Gaussian window.
//!
//! c is a share of the mean of s over the image: noise in flat places stays small, and the result does not see a gain.
//! The difference of two images normalised so is what local cross-correlation (LCC) measures: gain and offset that vary
//! slowly (ultrasound attenuation, MR bias) drop out. *Units*: standard deviations. *Border*: replicate.
//! *Halo*: the window's radius.

use super::convolve::{convolve, isotropic};
use crate::rows::Shared;
use crate::{Buffer, ComputeError, Device, Shape, Taps};

/// Normalises `image` in place under a window of standard deviation `sigma_vox`; c is `floor_share` of the mean deviation.
///
/// # Errors
/// [`ComputeError::Length`] if the buffer does not belong to the shape; [`ComputeError::OutOfMemory`].
pub fn local_normalise(
    device: &Device,
    (shape, sigma_vox, floor_share): (Shape, f64, f32),
    image: &mut Buffer,
) -> Result<(), ComputeError> {
    image.require(shape.len(), "local_normalise", "image")?;
    let taps = isotropic(&Taps::gaussian(sigma_vox, 2.5));
    let mut mean = device.zeros(shape.len())?;
    convolve(device, (shape, &taps), image, &mut mean)?;
    let squares = device.upload(image.host().iter().map(|v| v * v).collect())?;
    let mut mean_square = device.zeros(shape.len())?;
    convolve(device, (shape, &taps), &squares, &mut mean_square)?;
    let n = shape.len();
    let (mean, mean_square) = (mean.host(), mean_square.host());
    let deviation = |i: usize| (mean_square[i] - mean[i] * mean[i]).max(0.0).sqrt();
    let [total] = device.as_cpu().sum(n, n, |range| [range.map(|i| f64::from(deviation(i))).sum()]);
    let floor = (f64::from(floor_share) * total / n as f64).max(f64::from(f32::MIN_POSITIVE)) as f32;
    let out = Shared::new(image.host_mut());
    device.as_cpu().split(n, n, |range| {
        // SAFETY: ranges are disjoint.
        let part = unsafe { out.get_mut(range.clone()) };
        for (v, i) in part.iter_mut().zip(range) {
            *v = (*v - mean[i]) / (deviation(i) + floor);
        }
    });
    Ok(())
}
