//! The Gauss-Newton matrix times a direction, without the matrix.
//!
//! ```text
//! p = z + β p_before        q_c(X) = s_c Σ_d s_d p_d(X)        y = Σ_X q ψ_i + K p + λ diag p
//! ```
//!
//! Two launches: pixels get q from the control points, and control points gather it. An element of 4×4 pixels reads 32 slopes;
//! assembled, a node of a picture had 36 blocks of 4×4 numbers. *In*: slopes and diagonal of the accepted set. *Out*: the
//! direction p, the product y, and a partial sum of `pᵀ y` for each workgroup; nothing where a problem is done.

mod cpu;

use super::gpu_block::{self, ELEMENTS};
use super::lattice::Elements;
use super::progress::{PROGRESS, Progress};
use super::state::{STATE, Smoothness};
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::{LINE, SUM};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, reduction_groups};

static PIXELS: ShaderSource = ShaderSource::wgsl(
    "least_squares_pixels",
    &[LINE, SUM, ELEMENTS, PROGRESS, include_str!("least_squares_pixels.wgsl")],
);
static UNKNOWNS: ShaderSource = ShaderSource::wgsl(
    "least_squares_product",
    &[LINE, SUM, ELEMENTS, PROGRESS, include_str!("least_squares_product.wgsl")],
);

/// Multiplies a direction by the matrix.
#[derive(Debug)]
pub struct LeastSquaresProduct<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// Weights of the Sobolev term.
    pub smoothness: Smoothness,
    /// [`super::state`].
    pub state: &'a Buffer,
    /// How far the iterations are.
    pub progress: Progress<'a>,
    /// s: two sets.
    pub slopes: &'a Buffer,
    /// The matrix' diagonal: two sets.
    pub diagonal: &'a Buffer,
    /// z.
    pub preconditioned: &'a Buffer,
    /// p of the iteration before.
    pub before: &'a Buffer,
    /// q, planar in every problem.
    pub between: &'a mut Buffer,
    /// p.
    pub direction: &'a mut Buffer,
    /// y.
    pub product: &'a mut Buffer,
    /// Partial sums of `pᵀ y`.
    pub curvature: &'a mut Buffer,
}

impl Kernel for LeastSquaresProduct<'_> {
    const NAME: &'static str = "least_squares_product";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (e, d) = (self.elements, self.elements.shape.components());
        let unknowns = e.problems * e.unknowns();
        self.progress.check(lengths, e);
        lengths.of("state", self.state, STATE * e.problems).of("slopes", self.slopes, 2 * d * e.pixels());
        lengths.of("diagonal", self.diagonal, 2 * unknowns).of("between", self.between, d * e.pixels());
        lengths.of("preconditioned", self.preconditioned, unknowns).of("before", self.before, unknowns);
        lengths.of("direction", self.direction, unknowns).of("product", self.product, unknowns);
        lengths.of("curvature", self.curvature, e.problems * reduction_groups(e.unknowns()));
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.elements.shape, cpu::product(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let elements = self.elements;
        let uniform = || self.progress.uniform(gpu_block::lattice(elements, &self.smoothness));
        let pixels =
            gpu_block::launch(gpu, (&PIXELS, "least_squares_pixels"), (elements, uniform()), self.state);
        self.progress
            .bind(pixels)
            .input(self.preconditioned)
            .input(self.before)
            .input(self.slopes)
            .output(self.between)
            .run(gpu_block::groups(elements, elements.shape.len()))?;
        let unknowns =
            gpu_block::launch(gpu, (&UNKNOWNS, "least_squares_product"), (elements, uniform()), self.state);
        self.progress
            .bind(unknowns)
            .input(self.preconditioned)
            .input(self.before)
            .input(self.between)
            .input(self.diagonal)
            .output(self.direction)
            .output(self.product)
            .output(self.curvature)
            .run(gpu_block::groups(elements, elements.unknowns()))
    }
}
