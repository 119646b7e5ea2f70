//! The linear operator of variational flow, and everything that runs over it: `A = J + α L_ψ + G_w`.
//!
//! Acting on a planar field `δ` (edges) of `D` components,
//! * `J` is the motion tensor, a symmetric `D × D` block at each voxel ([`super::motion_tensor`]);
//! * `L_ψ` is the diffusion operator: for each pair of neighbours along axis `a` a spring of weight
//!   `α/s_a² · (ψ_i + ψ_j)/2`, none across the border (thiyagalingam2011 eq. 8-9: |N| counts neighbours inside);
//! * `G_w` is the volume-preserving term: the gradient of `Σ_i w_i ⟨(div δ)²⟩`, where `div` at voxel `i` is built from
//!   one-sided differences and `⟨·⟩` averages over all `2^D` choices of side. That average is symmetric under flips,
//!   compact, without checkerboard modes, and a sum of squares: `A` is symmetric and positive semi-definite by
//!   construction. Written out: springs along the component's own axis, plus central mixed differences.
//!
//! *Shapes*: every buffer belongs to the shape; `spacing_edges` is the voxel spacing in units of the smallest edge.
//! *Border*: natural (Neumann) in every term. *Halo*: 1 voxel.

pub(crate) mod cpu;
mod energy;
mod gauss_seidel_fused;
mod gpu;
mod jacobi;
mod relax;
mod residual;
mod uniform;
mod wavefront;

pub(crate) use residual::norm2_of;

use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, Later, require_field};

/// The operator's coefficients, borrowed from the method that owns them.
#[derive(Debug, Clone, Copy)]
pub struct Operator<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges (the smallest is 1).
    pub spacing_edges: Axes<f32>,
    /// Smoothness weight α, per edge².
    pub alpha: f32,
    /// `J`: entries 11, 12, 22 or 11, 12, 13, 22, 23, 33; none for the regulariser alone.
    pub tensor: Option<&'a [Buffer]>,
    /// ψ: relative smoothness weight of each voxel; none means 1 everywhere.
    pub diffusivity: Option<&'a Buffer>,
    /// w: weight of the volume-preserving term at each voxel (β inside the mask, 0 outside); none means no term.
    pub volume_weight: Option<&'a Buffer>,
}

impl Operator<'_> {
    fn validate(&self, kernel: &'static str, field: &[Buffer]) -> Result<(), ComputeError> {
        let n = self.shape.len();
        if let Some(tensor) = self.tensor {
            require_field(tensor, (self.shape.tensor_entries(), n), kernel, "tensor")?;
        }
        for (buffer, name) in [(self.diffusivity, "diffusivity"), (self.volume_weight, "volume_weight")] {
            if let Some(buffer) = buffer {
                buffer.require(n, kernel, name)?;
            }
        }
        require_field(field, (self.shape.components(), n), kernel, "field")
    }
}

/// `sweeps` over-relaxed, point-coupled Gauss-Seidel sweeps on `A x = rhs`, in place.
///
/// The block at a voxel is solved at once; each voxel's neighbours are all of another colour, so the result does not depend
/// on the number of threads. Plain sweeps (ω ≤ 1) take rows with even `y + z` before the others and within a row even `x`
/// before odd: a row is finished while it is in the cache. Over-relaxed ones take voxels with even `x + y + z` before the
/// others (red-black). With a volume-preserving term, which couples diagonal neighbours, there are four colours.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn relax(
    device: &Device,
    operator: &Operator<'_>,
    (x, rhs): (&mut [Buffer], &[Buffer]),
    (omega, sweeps): (f32, usize),
) -> Result<(), ComputeError> {
    operator.validate("relax", x)?;
    operator.validate("relax", rhs)?;
    match device.kind() {
        Kind::Cpu(cpu) => (0..sweeps).for_each(|_| relax::relax(cpu, operator, (x, rhs), omega)),
        Kind::Gpu(gpu) => gpu::relax((device, &**gpu), operator, (x, rhs), (omega, sweeps))?,
    }
    Ok(())
}

/// One damped, point-coupled Jacobi sweep on `A x = rhs`: `out = x + damping · D⁻¹ (rhs − A x)`, D the diagonal blocks.
///
/// Damping 1 and no volume term is thiyagalingam2011 eq. 9, with the block solved at once.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn jacobi(
    device: &Device,
    operator: &Operator<'_>,
    (x, rhs, out): (&[Buffer], &[Buffer], &mut [Buffer]),
    damping: f32,
) -> Result<(), ComputeError> {
    operator.validate("jacobi", x)?;
    operator.validate("jacobi", rhs)?;
    operator.validate("jacobi", out)?;
    match device.kind() {
        Kind::Cpu(cpu) => jacobi::jacobi(cpu, operator, (x, rhs, out), damping),
        Kind::Gpu(gpu) => gpu::jacobi(&**gpu, operator, (x, rhs, out), damping)?,
    }
    Ok(())
}

/// `target −= A x`; returns the squared norm of what is left in `target`.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn subtract_product(
    device: &Device,
    operator: &Operator<'_>,
    x: &[Buffer],
    target: &mut [Buffer],
) -> Result<Later<f64>, ComputeError> {
    operator.validate("subtract_product", x)?;
    operator.validate("subtract_product", target)?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(residual::subtract_product(cpu, operator, x, target))),
        Kind::Gpu(gpu) => gpu::subtract_product((device, &**gpu), operator, x, target),
    }
}

/// ‖rhs − A x‖², without storing the residual.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn residual_norm2(
    device: &Device,
    operator: &Operator<'_>,
    x: &[Buffer],
    rhs: &[Buffer],
) -> Result<Later<f64>, ComputeError> {
    operator.validate("residual_norm2", x)?;
    operator.validate("residual_norm2", rhs)?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(residual::norm2(cpu, operator, x, rhs))),
        Kind::Gpu(gpu) => gpu::norm2((device, &**gpu), operator, x, rhs),
    }
}

/// The mean of `rhs − A x` over the fine cells of each coarse cell; returns ‖rhs − A x‖² of the fine grid.
///
/// A coarse cell holds two fine cells along each axis where the sizes differ (three at an odd end).
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to its shape.
pub fn restrict_residual(
    device: &Device,
    operator: &Operator<'_>,
    (x, rhs): (&[Buffer], &[Buffer]),
    (coarse, coarse_shape): (&mut [Buffer], Shape),
) -> Result<Later<f64>, ComputeError> {
    operator.validate("restrict_residual", x)?;
    operator.validate("restrict_residual", rhs)?;
    require_field(coarse, (coarse_shape.components(), coarse_shape.len()), "restrict_residual", "coarse")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            Ok(Later::known(residual::restrict(cpu, operator, (x, rhs), (coarse, coarse_shape))))
        }
        Kind::Gpu(gpu) => gpu::restrict((device, &**gpu), operator, (x, rhs), (coarse, coarse_shape)),
    }
}

/// `rhs_a −= ∂_aᵀ (w c)`: the gradient of `Σ w ⟨(div δ + c)²⟩ / 2` at δ = 0, for a target volume change `−c`.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn subtract_volume_target(
    device: &Device,
    operator: &Operator<'_>,
    change: &Buffer,
    rhs: &mut [Buffer],
) -> Result<(), ComputeError> {
    operator.validate("subtract_volume_target", rhs)?;
    change.require(operator.shape.len(), "subtract_volume_target", "change")?;
    match device.kind() {
        Kind::Cpu(cpu) => residual::subtract_volume_target(cpu, operator, change.host(), rhs),
        Kind::Gpu(gpu) => gpu::subtract_volume_target(&**gpu, operator, change, rhs)?,
    }
    Ok(())
}

/// `xᵀ A x − 2 xᵀ rhs`, summed from the squares that define the operator: the oracle of its tests, on
/// processors only.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn energy(
    device: &Device,
    operator: &Operator<'_>,
    x: &[Buffer],
    rhs: &[Buffer],
) -> Result<f64, ComputeError> {
    operator.validate("energy", x)?;
    operator.validate("energy", rhs)?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(energy::energy(cpu, operator, x, rhs)),
        Kind::Gpu(_) => Err(ComputeError::WrongDevice),
    }
}
