//! The motion tensor `J_ρ = K_ρ * (n g gᵀ)`, `g = (I_x, I_y, I_z, I_t)` (thiyagalingam2011 eq. 3), from image pairs.
//!
//! *In*: pairs of a fixed image and its warped counterpart; more than one pair (gradient constancy) are summed.
//! *Out*: the distinct spatial entries (11, 12, 22 or 11, 12, 13, 22, 23, 33), then **minus** the mixed entries
//! (1t, 2t, 3t): the right-hand side of the linear system; then, if a further buffer is given, tt.
//! *Units*: derivatives per edge, so displacements come out in edges.
//! *Where the warped image is NaN* (outside) the voxel has weight 0, and its derivatives are the fixed image's.
//! *Border*: derivatives and filter replicate. *Halo*: 2 voxels plus the filter's radius.
//!
//! Derivatives, products and the x and y passes of the filter run row by row without touching memory in between.

mod cpu;

use super::gradient::Scheme;
use crate::buffer::require_field;
use crate::{Axes, Buffer, ComputeError, Device, Later, Shape, Taps};

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
    /// (fixed, warped).
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
    for (fixed, warped) in args.pairs {
        fixed.require(n, "motion_tensor", "fixed")?;
        warped.require(n, "motion_tensor", "warped")?;
    }
    if let Some(weight) = args.weight {
        weight.require(n, "motion_tensor", "weight")?;
    }
    let least = args.shape.tensor_entries() + args.shape.components();
    require_field(out, (if out.len() > least { least + 1 } else { least }, n), "motion_tensor", "out")?;
    cpu::motion_tensor(device.as_cpu(), args, out);
    Ok(())
}

/// Mean squared distance, in edges², by which the warped images still miss each other: `Σ n I_t² / Σ n |∇I|²`.
///
/// Every fourth row counts. Where nothing has contrast the result is 0.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn mismatch(device: &Device, args: &MotionTensor<'_>) -> Result<Later<f64>, ComputeError> {
    let n = args.shape.len();
    for (fixed, warped) in args.pairs {
        fixed.require(n, "mismatch", "fixed")?;
        warped.require(n, "mismatch", "warped")?;
    }
    Ok(Later::known(cpu::mismatch(device.as_cpu(), args)))
}
