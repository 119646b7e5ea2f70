//! The Gauss-Newton normal equations of an affine map, summed over an image pair.
//!
//! For the constraint `g · (δA x + δt) + I_t = 0` at every voxel the unknowns are the D(D+1) entries of `[δA | δt]`, row by
//! row; each voxel adds `n q qᵀ` and `−n q I_t` with `q = g ⊗ (x, 1)`, the data term of [`super::motion_tensor`].
//! *Units*: g per voxel, positions in voxels from `centre`. NaN in the warped image: no contribution. *Halo*: 2 voxels.

mod cpu;
mod gpu;

use crate::device::Kind;
use crate::{Axes, Buffer, ComputeError, Device, Later, Shape};

/// Entries of `[δA | δt]` in 3-D; 2-D uses the first 6.
pub const MAX_UNKNOWNS: usize = 12;

/// The normal equations `matrix · unknowns = rhs`.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalEquations {
    /// Number of unknowns: 6 or 12.
    pub unknowns: usize,
    /// Row-major, symmetric.
    pub matrix: Vec<f64>,
    /// Right-hand side.
    pub rhs: Vec<f64>,
    /// Mean n I_t² over the voxels that count.
    pub mean_energy: f64,
}

/// Sums the equations; derivatives are the warped image's.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn affine_moments(
    device: &Device,
    (shape, centre, zeta): (Shape, Axes<f64>, f32),
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> Result<Later<NormalEquations>, ComputeError> {
    let n = shape.len();
    fixed.require(n, "affine_moments", "fixed")?;
    warped.require(n, "affine_moments", "warped")?;
    if let Some(weight) = weight {
        weight.require(n, "affine_moments", "weight")?;
    }
    let grid = (shape, centre, zeta);
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::affine_moments(cpu, grid, (fixed, warped), weight))),
        Kind::Gpu(gpu) => gpu::affine_moments((device, &**gpu), grid, (fixed, warped), weight),
    }
}
