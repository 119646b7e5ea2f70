//! An image on a finer or coarser grid over the same extent, linearly interpolated, times a factor.
//!
//! *In, out*: one buffer each with its shape; voxel centres of the two grids are related by
//! `x_in = (x_out + ½) n_in / n_out − ½` along every axis. *Border*: replicate. *Unit*: the input's, times `factor`.
//! Going coarser, smooth first ([`super::convolve`]).

mod cpu;

use crate::{Buffer, ComputeError, Device, Shape};

/// Samples `input` onto the voxels of `output`'s shape.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to its shape.
pub fn resample(
    device: &Device,
    (input, input_shape): (&Buffer, Shape),
    (output, output_shape): (&mut Buffer, Shape),
    factor: f32,
) -> Result<(), ComputeError> {
    input.require(input_shape.len(), "resample", "input")?;
    output.require(output_shape.len(), "resample", "output")?;
    cpu::resample(device.as_cpu(), (input.host(), input_shape), (output.host_mut(), output_shape), factor);
    Ok(())
}
