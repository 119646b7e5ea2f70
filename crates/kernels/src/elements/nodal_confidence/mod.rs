//! How far a vector may be trusted: from the residual of its neighbourhood, and from the slopes there.
//!
//! ```text
//! v_i = κ max(⟨r²⟩_i, σ²) Σ_c 1 / (⟨s_c²⟩_i + ε)        ⟨q⟩_i = Σ_X q ψ_i / Σ_X ψ_i        e²(X) = Σ_i ψ_i(X) v_i
//! confidence = 1 / (1 + e² / h²)
//! ```
//!
//! Near its minimum the energy is quadratic, and its Gauss-Newton matrix over the variance of the residuals the inverse of the
//! covariance; the data's part of the diagonal stands for the matrix, because smoothness, which exceeds it, is the same
//! everywhere and does not rank vectors. κ is the share of a pixel's variance that a neighbourhood leaves. The variance σ² of
//! images that agree perfectly keeps vectors from being certain, and ε bounds the error where the image is flat. *In*: the
//! accepted set of every problem. *Out*: v, a work buffer; the confidence of all problems' pixels, 0 to 1.

use super::gpu_block::{self, ELEMENTS, GATHERING, Lattice, Tables};
use super::lattice::Elements;
use super::projection::{Problems, values_of_row};
use super::state::{STATE, States};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{LINE, SUM};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource =
    wgsl!("nodal_confidence", Bindings, [LINE, SUM, ELEMENTS, GATHERING], "nodal_confidence.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            lattice: Lattice,
            /// Least variance of a residual; the inverse square of the error that halves the confidence; least square of a
            /// slope; the share κ of the variance.
            limits: vec4<f32>,
        },
        tables: group Tables<'a>,
        residuals: may_read f32,
        slopes: may_read f32,
        variance: write f32,
        confidence: may_write f32,
    }
}

/// Writes the confidence of every pixel.
#[derive(Debug)]
pub struct NodalConfidence<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// The [`super::state`] of the problems.
    pub state: &'a Buffer,
    /// The residual r: two sets.
    pub residual: &'a Buffer,
    /// The slopes s: two sets.
    pub slopes: &'a Buffer,
    /// Share κ of a pixel's variance that its neighbourhood leaves.
    pub share: f32,
    /// Least variance σ², in units of r².
    pub least_variance: f32,
    /// Least square of a slope ε, in units of s².
    pub least_slope: f32,
    /// The error h that halves the confidence, edges.
    pub half_edges: f32,
    /// Variance v of every control point.
    pub variance: &'a mut Buffer,
    /// Confidence of all problems' pixels, 0 to 1.
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
        by_dimension!(self.elements, confidence(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (e, per_half2) = (self.elements, 1.0 / (self.half_edges * self.half_edges));
        let limits = [self.least_variance, per_half2, self.least_slope, self.share].into();
        let none = Bindings {
            block: Block { lattice: Lattice::without_smoothness(e), limits },
            tables: Tables::of(e, self.state),
            residuals: None,
            slopes: None,
            variance: self.variance,
            confidence: None,
        };
        gpu_block::launch(gpu, &SOURCE, "nodal_variance", e)
            .bind(&Bindings { residuals: Some(self.residual), slopes: Some(self.slopes), ..none })
            .run(gpu_block::groups(e, e.unknowns()))?;
        gpu_block::launch(gpu, &SOURCE, "nodal_confidence", e)
            .bind(&Bindings { confidence: Some(self.confidence), ..none })
            .run(gpu_block::groups(e, e.shape.len()))
    }
}

fn confidence<const D: usize>(cpu: &Cpu, args: NodalConfidence<'_>) {
    let (elements, state) = (args.elements, States(args.state.host()));
    let (nx, n) = (elements.shape.size[0], elements.shape.len());
    let count = elements.controls_of_problem();
    let (residual, slopes) = (args.residual.host(), args.slopes.host());
    // The first component is the squared residual, the second counts pixels.
    let all = Problems { cpu, elements, takes: &|_| true };
    let sums = all.sums_of_pixels(|problem, component, pixel| match component {
        0 => residual[state.accepted(problem) * n + pixel].powi(2),
        _ => 1.0,
    });
    let squares = all.sums_of_pixels(|problem, component, pixel| {
        slopes[(state.accepted(problem) * D + component) * n + pixel].powi(2)
    });
    let (least_variance, least_slope) = (args.least_variance, args.least_slope);
    cpu.split_samples(args.variance.host_mut(), 8, |range, out| {
        for (index, out) in range.zip(out) {
            let (problem, i) = (index / count, index % count);
            let [residuals, pixels] = [0, 1].map(|c| sums[(problem * D + c) * count + i]);
            let per_pixel = if pixels > 0.0 { 1.0 / pixels } else { 0.0 };
            let mean = residuals * per_pixel;
            let of = |c: usize| 1.0 / (squares[(problem * D + c) * count + i] * per_pixel + least_slope);
            let inverse = (0..D).fold(0.0, |sum, c| sum + of(c));
            *out = args.share * mean.max(least_variance) * inverse;
        }
    });
    let (variance, per_half2) = (args.variance.host(), 1.0 / (args.half_edges * args.half_edges));
    let rows = elements.shape.rows();
    cpu.split_rows([args.confidence.host_mut()], nx, 4 * elements.pixels(), |index, [out]| {
        let (problem, row) = (index / rows, index % rows);
        values_of_row(elements, &variance[problem * count..(problem + 1) * count], row, out);
        out.iter_mut().for_each(|v| *v = 1.0 / (1.0 + *v * per_half2));
    });
}
