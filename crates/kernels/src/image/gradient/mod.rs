//! Image derivatives along one axis, per voxel.
//!
//! *In*: an image. *Out*: its derivative, intensity per voxel. *Border*: see [`Scheme`]. *Halo*: 2 voxels.

pub(crate) mod cpu;
mod gpu;

use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// How derivatives are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `I(x+1) − I(x)`, 0 at the last voxel (thiyagalingam2011, section 4.1).
    Forward,
    /// `(1, −8, 0, 8, −1)/12`, fourth order, on replicated borders (Bruhn et al. 2005).
    Central4,
}

/// Writes the derivative of `image` along `axis` (0 is x).
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn gradient(
    device: &Device,
    (shape, axis, scheme): (Shape, usize, Scheme),
    image: &Buffer,
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    image.require(shape.len(), "gradient", "image")?;
    out.require(shape.len(), "gradient", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::gradient(cpu, (shape, axis, scheme), image.host(), out.host_mut()),
        Kind::Gpu(gpu) => gpu::gradient(&**gpu, (shape, axis, scheme), image, out)?,
    }
    Ok(())
}

/// The derivatives along all axes that count, x first.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn gradients(
    device: &Device,
    (shape, scheme): (Shape, Scheme),
    image: &Buffer,
    out: &mut [Buffer],
) -> Result<(), ComputeError> {
    image.require(shape.len(), "gradients", "image")?;
    require_field(out, (shape.components(), shape.len()), "gradients", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            for (axis, out) in out.iter_mut().enumerate() {
                cpu::gradient(cpu, (shape, axis, scheme), image.host(), out.host_mut());
            }
        }
        Kind::Gpu(gpu) => gpu::gradients(&**gpu, (shape, scheme), image, out)?,
    }
    Ok(())
}
