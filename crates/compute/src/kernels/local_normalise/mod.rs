//! Local normalisation: `out = (I − μ) / (s + c)` with mean μ and standard deviation s under a Gaussian window.
//!
//! The difference of two images normalised so is what local cross-correlation (LCC) measures: gain and offset that vary
//! slowly (ultrasound attenuation, MR bias) drop out. *Units*: c has the image's. *Border*: replicate.
//! *Halo*: the window's radius.

use super::convolve::{convolve, isotropic};
use crate::rows::Shared;
use crate::{Buffer, ComputeError, Device, Shape, Taps};

/// Normalises `image` in place under a window of standard deviation `sigma_vox`; `floor` is c.
///
/// # Errors
/// [`ComputeError::Length`] if the buffer does not belong to the shape; [`ComputeError::OutOfMemory`].
pub fn local_normalise(
    device: &Device,
    (shape, sigma_vox, floor): (Shape, f64, f32),
    image: &mut Buffer,
) -> Result<(), ComputeError> {
    image.require(shape.len(), "local_normalise", "image")?;
    let taps = isotropic(&Taps::gaussian(sigma_vox, 2.5));
    let mut mean = device.zeros(shape.len())?;
    convolve(device, (shape, &taps), image, &mut mean)?;
    let square = |a: &Buffer| device.upload(a.host().iter().map(|v| v * v).collect());
    let squares = square(image);
    let mut mean_square = device.zeros(shape.len())?;
    convolve(device, (shape, &taps), &squares, &mut mean_square)?;
    let (mean, mean_square) = (mean.host(), mean_square.host());
    let out = Shared::new(image.host_mut());
    device.as_cpu().split(shape.len(), shape.len(), |range| {
        // SAFETY: ranges are disjoint.
        let part = unsafe { out.get_mut(range.clone()) };
        for (v, i) in part.iter_mut().zip(range) {
            let variance = (mean_square[i] - mean[i] * mean[i]).max(0.0);
            *v = (*v - mean[i]) / (variance.sqrt() + floor);
        }
    });
    Ok(())
}
