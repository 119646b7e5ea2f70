//! Separable smoothing: `out = K_z * K_x * K_y * in`, one symmetric filter per axis.
//!
//! *In, out*: one buffer each of the shape, any unit. *Border*: replicate. *Halo*: the radius of each filter.
//! *Order*: along y, then x, then z. Sums along x begin in the middle and take samples in pairs; along y and z they take them
//! as they come. Every device keeps this order, so that all compute the same bits.
//! *Passes*: the y and x filters run band by band through a ring of rows, the z filter panel by panel in place:
//! four volumes move in 3-D, two in 2-D, whatever the radius. GPUs take one pass an axis: two volumes each.

pub mod by_memory;
pub(crate) mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::taps::Taps;
pub(crate) use gpu::{Border, Pass, is_small_picture, quads, run_passes};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu};

/// Smooths an image.
#[derive(Debug)]
pub struct Convolve<'a> {
    /// Shape of the image.
    pub shape: Shape,
    /// A filter for each axis; in 2-D the third one is not used.
    pub taps: &'a Axes<Taps>,
    /// The image.
    pub input: &'a Buffer,
    /// The smoothed image.
    pub output: &'a mut Buffer,
}

impl Kernel for Convolve<'_> {
    const NAME: &'static str = "convolve";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.of("input", self.input, n).of("output", self.output, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::convolve(cpu, self.shape, self.taps, self.input.host(), self.output.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::convolve(gpu, self)
    }
}

/// The same filter along every axis of the shape.
pub fn isotropic(taps: &Taps) -> Axes<Taps> {
    [taps.clone(), taps.clone(), taps.clone()]
}
