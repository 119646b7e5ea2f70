//! Samples to cubic B-spline coefficients: `samples(x) = Σ_k c_k β³(x − k)` on mirrored borders.
//!
//! One causal and one anticausal recursion an axis with the pole √3 − 2 (Unser 1999, "Splines: a perfect fit for signal and
//! image processing", IEEE Signal Processing Magazine 16(6), box 2); GPUs convolve with its impulse response instead.
//! *In place.* *Units*: unchanged.
//! *Halo*: the recursion reaches everywhere, but falls below 1e-6 within 11 voxels.

mod cpu;
mod gpu;

use crate::device::Kind;
use crate::{Buffer, ComputeError, Device, Shape};

const POLE: f32 = -0.267_949_2;

/// Replaces samples by coefficients.
///
/// # Errors
/// [`ComputeError::Length`] if the buffer does not belong to the shape.
pub fn spline_coefficients(device: &Device, shape: Shape, samples: &mut Buffer) -> Result<(), ComputeError> {
    samples.require(shape.len(), "spline_coefficients", "samples")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::spline_coefficients(cpu, shape, samples.host_mut()),
        Kind::Gpu(gpu) => gpu::spline_coefficients((device, &**gpu), shape, samples)?,
    }
    Ok(())
}
