//! Samples to cubic B-spline coefficients: `samples(x) = Σ_k c_k β³(x − k)` on mirrored borders.
//!
//! The recursions of the direct filter, whose pole is √3 − 2 (Unser 1999, "Splines: a perfect fit for signal and image
//! processing", IEEE Signal Processing Magazine 16(6), box 2), have the impulse response `6 z / (z² − 1) · z^|k|`: the samples
//! are convolved with it, one axis after the other, in an order that all devices share. A shape of two dimensions with several
//! planes is a stack of pictures, each by itself.
//! *In place.* *Units*: unchanged. *Halo*: 13 voxels.

mod cpu;
#[cfg(test)]
mod parity;

use crate::image::convolve::{Border, Pass};
use crate::kernel::{Kernel, Launcher, Lengths};
use std::mem::swap;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu};

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
#[derive(Debug)]
pub struct SplineCoefficients<'a> {
    /// Shape of the image.
    pub shape: Shape,
    /// The image's samples; its coefficients afterwards.
    pub samples: &'a mut Buffer,
}

impl Kernel for SplineCoefficients<'_> {
    const NAME: &'static str = "spline_coefficients";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("samples", self.samples, self.shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::spline_coefficients(cpu, self.shape, self.samples.host_mut());
    }
    /// Launches one pass of the convolution for each axis.
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, samples } = self;
        let weights = response();
        let mut out = gpu.device().scratch(shape.len())?;
        for axis in (0..shape.components()).filter(|&axis| shape.size[axis] > 1) {
            let pass = Pass { shape, axis, weights: &weights, border: Border::Mirror };
            pass.run(gpu, samples, &out)?;
            swap(samples, &mut out);
        }
        Ok(())
    }
}
