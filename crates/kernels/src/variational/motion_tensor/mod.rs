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
//! passes is y, x, z; on a GPU filters of a radius above 8 are passes of [`super::convolve`].

mod cpu;
mod gpu;

use crate::image::gradient::Scheme;
use crate::shared::taps::Taps;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, Later, require_field};

/// How a voxel's constraint is scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constraint {
    /// As it is: voxels count by their contrast.
    Plain,
    /// Divided by `|∇I|² + ζ²`: voxels count by their distance, in edges, from fulfilling it (Zimmer et al. 2011).
    Normalised {
        /// ζ, intensity per edge.
        zeta: f32,
    },
}

/// What the tensor is made of.
#[derive(Debug, Clone, Copy)]
pub struct MotionTensor<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges.
    pub spacing_edges: Axes<f32>,
    /// On the mean of both images ([`Scheme::Central4`]) or on the fixed one ([`Scheme::Forward`], the paper's).
    pub scheme: Scheme,
    /// Scaling.
    pub constraint: Constraint,
    /// K_ρ, one filter an axis.
    pub taps: &'a Axes<Taps>,
    /// (fixed, warped): one, or one for each axis that counts.
    pub pairs: &'a [(&'a Buffer, &'a Buffer)],
    /// Weight of each voxel (a mask: 0 or 1); none means 1.
    pub weight: Option<&'a Buffer>,
}

/// Computes the tensor.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn motion_tensor(
    device: &Device,
    args: &MotionTensor<'_>,
    out: &mut [Buffer],
) -> Result<(), ComputeError> {
    let n = args.shape.len();
    args.require("motion_tensor")?;
    let least = args.shape.tensor_entries() + args.shape.components();
    require_field(out, (if out.len() > least { least + 1 } else { least }, n), "motion_tensor", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::motion_tensor(cpu, args, out),
        Kind::Gpu(gpu) => gpu::motion_tensor((device, &**gpu), args, out)?,
    }
    Ok(())
}

/// Mean squared distance, in edges², by which the warped images still miss each other: `Σ n I_t² / Σ n |∇I|²`.
///
/// Where nothing has contrast the result is 0.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn mismatch(device: &Device, args: &MotionTensor<'_>) -> Result<Later<f64>, ComputeError> {
    args.require("mismatch")?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::mismatch(cpu, args))),
        Kind::Gpu(gpu) => gpu::mismatch((device, &**gpu), args),
    }
}

/// Pairs of a tensor at most: gradient constancy in 3-D.
const MOST_PAIRS: usize = 3;

impl MotionTensor<'_> {
    /// Fails unless there are pairs, and every input belongs to the shape.
    fn require(&self, kernel: &'static str) -> Result<(), ComputeError> {
        let n = self.shape.len();
        let count = self.pairs.len();
        if count == 0 || count > MOST_PAIRS {
            let expected = n * count.clamp(1, MOST_PAIRS);
            return Err(ComputeError::Length { kernel, buffer: "pairs", expected, got: n * count });
        }
        for (fixed, warped) in self.pairs {
            fixed.require(n, kernel, "fixed")?;
            warped.require(n, kernel, "warped")?;
        }
        self.weight.map_or(Ok(()), |weight| weight.require(n, kernel, "weight"))
    }
}
