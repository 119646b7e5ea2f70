//! The flow from matches and that of the method alone, made one.
//!
//! A coarse-to-fine field that agrees with matches all around has followed the motion there, and is the better one where nothing
//! can be matched: behind edges and where texture ends it goes on smoothly, and models of matches do not.
//! Where it has lost the motion it disagrees with confirmed matches near by, and those decide.

use super::smoothed;
use crate::error::Result;
use crate::method::pending_flow::PendingFlow;
use crate::steps::buffers::written;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Multiply;
use veloxel_kernels::image::window_sum::WindowSum;
use veloxel_kernels::matching::agreement::{Agreement, Replacement};

/// Distance below which two vectors agree, voxels.
const AGREES_VOX: f32 = 1.0;
/// Half width of the window around a voxel in which they must, in pictures and in volumes, voxels: on a plateau.
const AROUND_VOX: [usize; 2] = [56, 24];
/// Share of the confirmed vectors there that must agree: on a plateau as well.
const LEAST_SHARE: f32 = 0.985;
/// Standard deviation of the window in which hidden voxels lower the confidence, voxels; and how steeply: with the fourth power of
/// the share of confirmed ones.
const HIDDEN_SIGMA_VOX: f64 = 3.0;
const HIDDEN_POWER: usize = 4;

/// Puts the method's own flow and confidence where it agrees with the flow from matches; elsewhere the confidence falls towards
/// voxels that are not confirmed.
pub(super) fn fuse(
    matched: &mut PendingFlow,
    alone: &PendingFlow,
    shape: Shape,
    confirmed: &Buffer,
) -> Result<()> {
    let PendingFlow { device, flow: alone_flow, confidence: alone_confidence, .. } = alone;
    let (flow, alone_flow) = (&mut matched.flow.components_vox, &alone_flow.components_vox);
    let confidence = &mut matched.confidence;
    let fields = [&flow[..], &alone_flow[..]];
    let agreeing = written(device, shape.len(), |out| {
        Agreement { distance: AGREES_VOX, fields, weight: confirmed, out }.run(device)
    })?;
    let agreeing = around(device, shape, &agreeing)?;
    let all = around(device, shape, confirmed)?;
    let share = smoothed(device, confirmed, shape, HIDDEN_SIGMA_VOX)?;
    for _ in 0..HIDDEN_POWER {
        Multiply { factor: &share, out: confidence }.run(device)?;
    }
    let replaced = flow.iter_mut().chain([confidence]);
    for (out, by) in replaced.zip(alone_flow.iter().chain([alone_confidence])) {
        Replacement { share: LEAST_SHARE, agreeing: &agreeing, all: &all, by, out }.run(device)?;
    }
    Ok(())
}

/// Sums of the windows around.
fn around(device: &Device, shape: Shape, input: &Buffer) -> Result<Buffer, ComputeError> {
    let radius = [AROUND_VOX[shape.components() - 2]; 3];
    written(device, shape.len(), |output| WindowSum { shape, radius, input, output }.run(device))
}
