//! An image of a pyramid's level, warped by the coarser level's estimate: `out(x) = image(x + f d(x))`.
//!
//! What hardware without memory for warped filter responses does before it filters (Pauwels et al. 2012, sections 4.2, 5.2).
//! *In*: a pyramid, and the estimate of the next coarser level, of one plane (along x) or two. *Where it is unknown* the pixel stays
//! where it is. *Sampling*: bilinear; a position outside moves to the border. *Halo*: `|f d|` + 1.

mod cpu;
mod gpu;

use crate::phase::gabor::Levels;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

/// Writes one level of `image`, warped by `factor` times the estimate.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the level.
pub fn displaced_image(
    device: &Device,
    (levels, level, factor): (&Levels, usize, f32),
    (image, coarser): (&Buffer, &Buffer),
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    image.require(levels.len(), "displaced_image", "image")?;
    let [cx, cy] = levels.size(level).map(|n| n.div_ceil(2));
    if coarser.len() != 2 * cx * cy {
        coarser.require(cx * cy, "displaced_image", "coarser")?;
    }
    out.require(levels.pixels(level), "displaced_image", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            let inputs = (image.host(), coarser.host());
            cpu::displaced_image(cpu, (levels, level, factor), inputs, out.host_mut());
            Ok(())
        }
        Kind::Gpu(gpu) => gpu::displaced_image(&**gpu, (levels, level, factor), (image, coarser), out),
    }
}
