//! Separable smoothing: `out = K_z * K_x * K_y * in`, one symmetric filter per axis.
//!
//! *In, out*: one buffer each of the shape, any unit. *Border*: replicate. *Halo*: the radius of each filter.
//! *Order*: along y, then x, then z. Sums along x begin in the middle and take samples in pairs; along y and z they take
//! them as they come. Every device keeps to that, so that all find the same bits.
//! *Passes*: the y and x filters run band by band through a ring of rows, the z filter panel by panel in place:
//! four volumes move in 3-D, two in 2-D, whatever the radius. GPUs take one pass an axis: two volumes each.

pub(crate) mod cpu;
pub(crate) mod gpu;

use crate::shared::taps::Taps;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

/// Smooths `input` into `output`; in 2-D the third filter is not used.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn convolve(
    device: &Device,
    (shape, taps): (Shape, &Axes<Taps>),
    input: &Buffer,
    output: &mut Buffer,
) -> Result<(), ComputeError> {
    input.require(shape.len(), "convolve", "input")?;
    output.require(shape.len(), "convolve", "output")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::convolve(cpu, (shape, taps), input.host(), output.host_mut()),
        Kind::Gpu(gpu) => gpu::convolve((device, &**gpu), (shape, taps), input, output)?,
    }
    Ok(())
}

/// The same filter along every axis that counts.
pub fn isotropic(taps: &Taps) -> Axes<Taps> {
    [taps.clone(), taps.clone(), taps.clone()]
}
