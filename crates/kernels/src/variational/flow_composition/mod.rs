//! One flow after another: `out(x) = d1(x) + d2(x + d1(x))`, the motion of both together.
//!
//! *In*: two planar displacements on one shape, voxels. *Out*: a displacement of the same form.
//! Between voxels `d2` is linear; vectors that have no weight at a position may be unknown.
//! *Outside*: where `d1` is unknown or leaves the grid, or `d2` is unknown around, see [`Outside`]. *Halo*: unbounded (gathers).

mod cpu;
mod gpu;

use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// What stands where the second flow is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// NaN.
    Unknown,
    /// The first flow, as a start for whoever goes on from it.
    KeepFirst,
}

/// The arguments of [`compose_flows`].
#[derive(Debug, Clone, Copy)]
pub struct FlowComposition<'a> {
    /// Of both flows.
    pub shape: Shape,
    /// Voxels.
    pub first: &'a [Buffer],
    /// Voxels.
    pub second: &'a [Buffer],
    /// What stands where the second flow is unknown.
    pub outside: Outside,
}

/// Writes the motion of the first flow followed by the second.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn compose_flows(
    device: &Device,
    args: &FlowComposition<'_>,
    out: &mut [Buffer],
) -> Result<(), ComputeError> {
    let count = (args.shape.components(), args.shape.len());
    require_field(args.first, count, "compose_flows", "first")?;
    require_field(args.second, count, "compose_flows", "second")?;
    require_field(out, count, "compose_flows", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::compose_flows(cpu, args, out),
        Kind::Gpu(gpu) => gpu::compose_flows(&**gpu, args, out)?,
    }
    Ok(())
}
