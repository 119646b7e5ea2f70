//! The confidence that is left where the way there and back does not end where it began.
//!
//! *In*: the residual r of the composed flows, voxels; a confidence. *Out*, in place: `c ← c / (1 + |r|² / h²)`, 0 where r is
//! unknown; and Σ |r| with the number of voxels where it is known. *Halo*: none.

mod cpu;
mod gpu;

use veloxel_gpu::{Buffer, ComputeError, Device, Kind, Later, require_field};

/// Lowers the confidence by the residual, half of it at |r| = `half_vox`.
///
/// # Errors
/// [`ComputeError::Length`] if the lengths differ.
pub fn weigh_by_residual(
    device: &Device,
    residual: &[Buffer],
    half_vox: f32,
    confidence: &mut Buffer,
) -> Result<Later<(f64, f64)>, ComputeError> {
    require_field(residual, (residual.len(), confidence.len()), "weigh_by_residual", "residual")?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::weigh_by_residual(cpu, residual, half_vox, confidence))),
        Kind::Gpu(gpu) => gpu::weigh_by_residual((device, &**gpu), residual, half_vox, confidence),
    }
}
