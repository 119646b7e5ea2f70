//! The motion tensor `J_ρ = K_ρ * (n g gᵀ)`, `g = (I_x, I_y, I_z, I_t)` (thiyagalingam2011 eq. 3), from image pairs.
//!
//! *In*: pairs of a fixed image and its warped counterpart; more than one pair (gradient constancy) are summed.
//! *Out*: the distinct spatial entries (11, 12, 22 or 11, 12, 13, 22, 23, 33), then **minus** the mixed entries
//! (1t, 2t, 3t): the right-hand side of the linear system; then, if a further buffer is given, tt.
//! *Units*: derivatives per edge, so displacements come out in edges.
//! *Where the warped image is NaN* (outside) the voxel has weight 0, and its derivatives are the fixed image's.
//! *Border*: derivatives and filter replicate. *Halo*: 2 voxels plus the filter's radius.
//!
//! Derivatives, products and the y pass of the filter run row by row without touching memory in between. The order of the
//! passes is y, x, z; on a GPU filters of a radius above 8 are passes of [`crate::image::convolve`].

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

pub(crate) use gpu::tile;

use crate::image::gradient::Scheme;
use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::taps::Taps;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later};

/// How a voxel's constraint is scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constraint {
    /// The constraint itself: voxels count by their contrast.
    Plain,
    /// The constraint divided by `|∇I|² + ζ²`: voxels count by their distance, in edges, from fulfilling it (Zimmer et al.
    /// 2011).
    Normalised {
        /// The floor ζ of the gradient, intensity per edge.
        zeta: f32,
    },
}

impl Constraint {
    /// The number ζ²; 0 for a plain constraint.
    pub(crate) fn zeta2(self) -> f32 {
        match self {
            Self::Plain => 0.0,
            Self::Normalised { zeta } => zeta * zeta,
        }
    }
}

/// The linearised constancy of image pairs.
#[derive(Debug, Clone, Copy)]
pub struct DataTerm<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The derivatives: on the mean of both images ([`Scheme::Central4`]) or on the fixed one ([`Scheme::Forward`] and
    /// [`Scheme::TwoSided`], the paper's).
    pub scheme: Scheme,
    /// Scaling of the constraint.
    pub constraint: Constraint,
    /// Pairs (fixed, warped): one, or one for each axis that counts.
    pub pairs: &'a [(&'a Buffer, &'a Buffer)],
    /// Weight of each voxel (a mask: 0 or 1); none for 1 everywhere.
    pub weight: Option<&'a Buffer>,
}

/// Most pairs of a data term: gradient constancy in 3-D.
const MOST_PAIRS: usize = 3;

impl DataTerm<'_> {
    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.count("pairs", self.pairs.len(), 1..=MOST_PAIRS);
        for (fixed, warped) in self.pairs {
            lengths.of("fixed", fixed, n).of("warped", warped, n);
        }
        lengths.optional("weight", self.weight, n);
    }
}

/// Computes the tensor.
#[derive(Debug)]
pub struct MotionTensor<'a> {
    /// The image pairs and how they are compared.
    pub term: DataTerm<'a>,
    /// The filters K_ρ, one an axis.
    pub taps: &'a Axes<Taps>,
    /// Spatial entries, minus mixed entries and, if there is one buffer more, tt.
    pub out: &'a mut [Buffer],
}

impl Kernel for MotionTensor<'_> {
    const NAME: &'static str = "motion_tensor";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        self.term.check(lengths);
        let shape = self.term.shape;
        let least = shape.tensor_entries() + shape.components();
        let entries = if self.out.len() > least { least + 1 } else { least };
        lengths.field("out", self.out, entries, shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::motion_tensor(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::motion_tensor(gpu, self)
    }
}

/// Mean squared distance, in edges², by which the warped images still miss each other: `Σ n I_t² / Σ n |∇I|²`.
///
/// Where nothing has contrast the result is 0.
#[derive(Debug)]
pub struct Mismatch<'a> {
    /// The images and how they are compared.
    pub term: DataTerm<'a>,
}

impl Kernel for Mismatch<'_> {
    const NAME: &'static str = "mismatch";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        self.term.check(lengths);
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        let sums = match self.term.shape.components() {
            2 => cpu::mismatch::<2, 6>(cpu, &self.term),
            _ => cpu::mismatch::<3, 10>(cpu, &self.term),
        };
        Later::known(ratio(sums))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        gpu::mismatch(gpu, &self.term)
    }
}

/// The quotient of the sums of tt and of the spatial trace.
fn ratio([tt, trace]: [f64; 2]) -> f64 {
    if trace > 0.0 { tt / trace } else { 0.0 }
}
