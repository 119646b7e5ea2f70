//! Local normalisation: `out = (I − μ) / (s + c)` with mean μ and standard deviation s under a Gaussian window.
//!
//! c is a share of the mean of s over the image: noise in flat places stays small, and the result does not see a gain.
//! The difference of two images normalised so is what local cross-correlation (LCC) measures: gain and offset that vary
//! slowly (ultrasound attenuation, MR bias) drop out. *Units*: standard deviations. *Border*: replicate.
//! *Halo*: the window's radius.

mod cpu;
mod gpu;

use super::convolve::isotropic;
use crate::shared::taps::Taps;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

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
    match device.kind() {
        Kind::Cpu(cpu) => cpu::local_normalise((device, cpu), (shape, &taps, floor_share), image),
        Kind::Gpu(gpu) => gpu::local_normalise((device, &**gpu), (shape, &taps, floor_share), image),
    }
}
