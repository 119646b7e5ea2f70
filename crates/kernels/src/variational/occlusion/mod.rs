//! How likely a pixel is seen in both images: `o = exp(−min(div d, 0)² / 2σ_d² − I_t² / 2σ_i²)`.
//!
//! (Sun, Roth, Black 2010, after Sand & Teller 2008.) Pixels that others move onto, or whose intensity is not found again,
//! get little say in the weighted median. *In*: displacement in edges, fixed and warped image. *Out*: [0, 1].
//! *Outside* (warped is NaN): [`OUTSIDE`]. *Border*: one-sided differences. *Halo*: 1 voxel.

mod cpu;
mod gpu;

use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// Say of a pixel that is not in the moving image at all.
pub const OUTSIDE: f32 = 0.05;

/// The scales of the two signs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// σ_d, edges per edge.
    pub divergence: f32,
    /// σ_i, mapped intensities.
    pub intensity: f32,
}

/// Writes the visibility.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn visibility(
    device: &Device,
    (shape, spacing_edges, scales): (Shape, Axes<f32>, Scales),
    (displacement, fixed, warped): (&[Buffer], &Buffer, &Buffer),
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    let n = shape.len();
    require_field(displacement, (shape.components(), n), "visibility", "displacement")?;
    fixed.require(n, "visibility", "fixed")?;
    warped.require(n, "visibility", "warped")?;
    out.require(n, "visibility", "out")?;
    let (grid, images) = ((shape, spacing_edges, scales), (displacement, fixed, warped));
    match device.kind() {
        Kind::Cpu(cpu) => cpu::visibility(cpu, grid, images, out.host_mut()),
        Kind::Gpu(gpu) => gpu::visibility(&**gpu, grid, images, out)?,
    }
    Ok(())
}
