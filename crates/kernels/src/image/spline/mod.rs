//! Samples to cubic B-spline coefficients: `samples(x) = Σ_k c_k β³(x − k)` on mirrored borders.
//!
//! The recursions of the direct filter, whose pole is √3 − 2 (Unser 1999, "Splines: a perfect fit for signal and image
//! processing", IEEE Signal Processing Magazine 16(6), box 2), have the impulse response `6 z / (z² − 1) · z^|k|`: it is
//! convolved with, one axis after the other, which every device does in the same order.
//! *In place.* *Units*: unchanged. *Halo*: 13 voxels.

mod cpu;
mod gpu;

use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

const POLE: f32 = -0.267_949_2;
/// Voxels on either side after which the response vanishes in `f32`.
const RADIUS: usize = 13;

/// The impulse response, centre first.
fn response() -> [f32; RADIUS + 1] {
    let mut weights = [6.0 * POLE / (POLE * POLE - 1.0); RADIUS + 1];
    (1..=RADIUS).for_each(|k| weights[k] = weights[k - 1] * POLE);
    weights
}

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
