//! An image on a finer or coarser grid over the same extent, linearly interpolated, times a factor.
//!
//! *In, out*: one buffer each with its shape; voxel centres of the two grids are related by
//! `x_in = (x_out + ½) n_in / n_out − ½` along every axis. *Border*: replicate. *Unit*: the input's, times `factor`.
//! Going coarser, smooth first ([`super::convolve`]).

mod cpu;
mod gpu;

use std::slice::{from_mut, from_ref};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

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
    let (input, output) = (from_ref(input), from_mut(output));
    resample_field(device, (input, input_shape), (output, output_shape), factor)
}

/// [`resample`] for every component of a field.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to its shape, or the fields have different components.
pub fn resample_field(
    device: &Device,
    (input, input_shape): (&[Buffer], Shape),
    (output, output_shape): (&mut [Buffer], Shape),
    factor: f32,
) -> Result<(), ComputeError> {
    require_field(input, (input.len(), input_shape.len()), "resample", "input")?;
    require_field(output, (input.len(), output_shape.len()), "resample", "output")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            for (input, output) in input.iter().zip(output) {
                let (input, output) = (input.host(), output.host_mut());
                cpu::resample(cpu, (input, input_shape), (output, output_shape), factor);
            }
        }
        Kind::Gpu(gpu) => {
            gpu::resample_field(&**gpu, (input, input_shape), (output, output_shape), factor)?;
        }
    }
    Ok(())
}
