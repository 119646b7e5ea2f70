//! How far a vector can be trusted: `c = determinacy · fit`, in [0, 1].
//!
//! *Determinacy* `1 − (α'/D) tr (J + α' I)⁻¹`: the mean over directions of `λ / (λ + α')`, the share of the estimate that
//! comes from the data rather than from the neighbours. *Fit* `1 / (1 + J_tt / σ²)`: with a normalised constraint J_tt is
//! the squared distance, in edges, by which the warped images still miss each other.
//! *In*: a tensor with tt from [`super::motion_tensor`], taken at the final field. *Halo*: none.

mod cpu;
mod gpu;

use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// The two scales a confidence is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// α': tensor eigenvalues well above it are data, well below it are interpolation.
    pub determinacy: f32,
    /// σ: the mismatch at which the fit counts half, in the square root of the tensor's unit.
    pub mismatch: f32,
}

/// Writes the confidence.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn confidence(
    device: &Device,
    (shape, scales): (Shape, Scales),
    tensor: &[Buffer],
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    let (n, d) = (shape.len(), shape.components());
    require_field(tensor, (shape.tensor_entries() + d + 1, n), "confidence", "tensor")?;
    out.require(n, "confidence", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::confidence(cpu, (shape, scales), tensor, out.host_mut()),
        Kind::Gpu(gpu) => gpu::confidence(&**gpu, (shape, scales), tensor, out)?,
    }
    Ok(())
}
