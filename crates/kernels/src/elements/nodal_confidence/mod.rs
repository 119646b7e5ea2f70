//! How far a vector may be trusted: from what its neighbourhood leaves of the difference, and how much it says.
//!
//! ```text
//! v_i = κ max(⟨r²⟩_i, σ²) Σ_c 1 / (⟨s_c²⟩_i + ε)        ⟨q⟩_i = Σ_X q ψ_i / Σ_X ψ_i        e²(X) = Σ_i ψ_i(X) v_i
//! confidence = 1 / (1 + e² / h²)
//! ```
//!
//! Near its minimum the energy is quadratic, and its Gauss-Newton matrix over the variance of the residuals the inverse of the
//! covariance; the data's part of the diagonal stands for the matrix, because smoothness, which exceeds it, is the same
//! everywhere and ranks nothing. κ is the share of a pixel's variance that a neighbourhood leaves. The variance σ² of images
//! that agree perfectly keeps vectors from being certain, and ε bounds the error where nothing is seen. *In*: the accepted set
//! of every problem. *Out*: v, a work buffer; the confidence of all problems' pixels, 0 to 1.

mod cpu;

use super::gpu_block::{self, ELEMENTS, GATHERING};
use super::lattice::Elements;
use super::state::{STATE, Smoothness};
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::{LINE, SUM};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = ShaderSource::wgsl(
    "nodal_confidence",
    &[LINE, SUM, ELEMENTS, GATHERING, include_str!("nodal_confidence.wgsl")],
);

/// Writes the confidence of every pixel.
#[derive(Debug)]
pub struct NodalConfidence<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// [`super::state`].
    pub state: &'a Buffer,
    /// r: two sets.
    pub residual: &'a Buffer,
    /// s: two sets.
    pub slopes: &'a Buffer,
    /// κ.
    pub share: f32,
    /// σ² and ε, in units of r² and of s².
    pub least: [f32; 2],
    /// h, the error that halves the confidence, edges.
    pub half_edges: f32,
    /// v of every control point.
    pub variance: &'a mut Buffer,
    /// Of all problems' pixels.
    pub confidence: &'a mut Buffer,
}

impl Kernel for NodalConfidence<'_> {
    const NAME: &'static str = "nodal_confidence";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        lengths.of("state", self.state, STATE * e.problems).of("residual", self.residual, 2 * e.pixels());
        lengths.of("slopes", self.slopes, 2 * e.components() * e.pixels());
        lengths.of("variance", self.variance, e.problems * e.controls_of_problem());
        lengths.of("confidence", self.confidence, e.pixels());
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.elements, cpu::confidence(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (e, per_half2) = (self.elements, 1.0 / (self.half_edges * self.half_edges));
        let [residual, slope] = self.least;
        let limits = [residual, per_half2, slope, self.share];
        let uniform = || gpu_block::lattice(e, &Smoothness::NONE).f4(limits);
        gpu_block::launch(gpu, &SOURCE, "nodal_variance", e, uniform(), self.state)
            .input(self.residual)
            .input(self.slopes)
            .output(self.variance)
            .spare(1)
            .run(gpu_block::groups(e, e.unknowns()))?;
        gpu_block::launch(gpu, &SOURCE, "nodal_confidence", e, uniform(), self.state)
            .absent(2)
            .output(self.variance)
            .output(self.confidence)
            .run(gpu_block::groups(e, e.shape.len()))
    }
}
