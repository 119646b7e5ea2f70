//! Numbers of a fixed point: rounded to a step, cut at the largest that there is.
//!
//! *Units*: the samples'. NaN stays. Halves go up. A step that is a power of two rounds exactly. *Halo*: none.

mod cpu;
mod gpu;

use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

/// A fixed point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedPoint {
    /// What the last bit is worth.
    pub step: f32,
    /// The largest number, and the least without its sign.
    pub most: f32,
}

/// Rounds samples in place.
///
/// # Errors
/// [`ComputeError::DeviceFailed`].
pub fn quantise(device: &Device, form: FixedPoint, samples: &mut Buffer) -> Result<(), ComputeError> {
    match device.kind() {
        Kind::Cpu(cpu) => {
            cpu::quantise(cpu, form, samples.host_mut());
            Ok(())
        }
        Kind::Gpu(gpu) => gpu::quantise(&**gpu, form, samples),
    }
}
