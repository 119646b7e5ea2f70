//! How long the vectors of a flow are: Σ |d| and the number of voxels where d is known.
//!
//! *In*: a planar displacement, voxels. Voxels count within `weight > 0` where one is given. *Halo*: none.

mod cpu;
mod gpu;

use veloxel_gpu::{Buffer, ComputeError, Device, Kind, Later, require_field};

/// Sum of the lengths and number of voxels that count.
///
/// # Errors
/// [`ComputeError::Length`] if the lengths of the buffers differ.
pub fn flow_length(
    device: &Device,
    flow: &[Buffer],
    weight: Option<&Buffer>,
) -> Result<Later<(f64, f64)>, ComputeError> {
    let n = flow.first().map_or(0, Buffer::len);
    require_field(flow, (flow.len(), n), "flow_length", "flow")?;
    if let Some(weight) = weight {
        weight.require(n, "flow_length", "weight")?;
    }
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::flow_length(cpu, flow, weight))),
        Kind::Gpu(gpu) => gpu::flow_length((device, &**gpu), flow, weight),
    }
}
