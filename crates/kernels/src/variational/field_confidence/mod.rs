//! How far every vector of a field can be trusted: its expected error ([`super::expected_error`]), averaged over a window
//! ([`crate::image::convolve`]), and what that leaves of the confidence ([`super::confidence`]); where vectors come from windows
//! of their own, times what these determine ([`crate::matching::least_eigenvalue`]).
//!
//! On a GPU small pictures take one launch: a launch of each kernel takes longer than its work.
//! *In*, *border*: as of these kernels. *Out*: c, in [0, 1]. *Halo*: two steps of the fourth difference, and the window.

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

use super::expected_error::ExpectedError;
use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::taps::Taps;
use veloxel_core::Axes;
use veloxel_gpu::{Buffer, ComputeError, Cpu};

/// Makes the confidence of every voxel.
#[derive(Debug)]
pub struct FieldConfidence<'a> {
    /// What is expected of the vectors. The warped image has any samples afterwards.
    pub errors: ExpectedError<'a>,
    /// The window over which e² is averaged, one filter an axis.
    pub taps: &'a Axes<Taps>,
    /// τ of [`super::confidence::Confidence`].
    pub contrast: f32,
    /// h, edges.
    pub half_edges: f32,
    /// λ_0 of [`crate::matching::least_eigenvalue::LeastEigenvalue`], above 0; none: what the data determine is not asked for.
    pub half_eigenvalue: Option<f32>,
    /// c.
    pub out: &'a mut Buffer,
}

impl Kernel for FieldConfidence<'_> {
    const NAME: &'static str = "field_confidence";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        self.errors.check(lengths);
        lengths.of("out", self.out, self.errors.shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::field_confidence(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::field_confidence(gpu, self)
    }
}
