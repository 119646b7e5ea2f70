//! How far two images are apart: mean |warped − fixed| where the warped one has data.
//!
//! *Units*: the images'. NaN samples of the warped image (outside) are left out. *Halo*: none.

mod cpu;
mod gpu;

use veloxel_gpu::{Buffer, ComputeError, Device, Kind, Later};

/// Sum of |a − b| and number of voxels that count, within `weight > 0` where one is given.
///
/// # Errors
/// [`ComputeError::Length`] if the lengths differ.
pub fn absolute_difference(
    device: &Device,
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> Result<Later<(f64, f64)>, ComputeError> {
    let n = fixed.len();
    warped.require(n, "absolute_difference", "warped")?;
    if let Some(weight) = weight {
        weight.require(n, "absolute_difference", "weight")?;
    }
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::absolute_difference(cpu, (fixed, warped), weight))),
        Kind::Gpu(gpu) => gpu::absolute_difference((device, &**gpu), (fixed, warped), weight),
    }
}
