//! The flow from matches and that of the method alone, made one.
//!
//! A coarse-to-fine field that agrees with matches all around has followed the motion there, and is the better one where nothing
//! can be matched: behind edges and where texture ends it goes on smoothly, and models of matches do not.
//! Where it has lost the motion it disagrees with confirmed matches near by, and those decide, unless the images say that the
//! matches are the wrong ones ([`Preference`]): where a texture repeats.

use super::preference::{MAJORITIES, Majority, Preference};
use super::{Work, smoothed};
use crate::error::Result;
use crate::method::pending_flow::PendingFlow;
use crate::steps::buffers::written;
use veloxel_gpu::Buffer;
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

/// Puts the method's own flow and confidence where it agrees with the flow from matches, and where it explains the images better;
/// elsewhere the confidence falls towards voxels that are not confirmed.
pub(super) fn fuse(
    work: &Work<'_>,
    matched: &mut PendingFlow,
    alone: &PendingFlow,
    confirmed: &Buffer,
) -> Result<()> {
    let (device, shape) = (work.device, work.shape());
    let flow = &matched.flow.components_vox;
    let agreeing = written(device, shape.len(), |out| {
        let fields = [&flow[..], &alone.flow.components_vox[..]];
        Agreement { distance: AGREES_VOX, fields, weight: confirmed, out }.run(device)
    })?;
    let share = smoothed(device, confirmed, shape, HIDDEN_SIGMA_VOX)?;
    for _ in 0..HIDDEN_POWER {
        Multiply { factor: &share, out: &mut matched.confidence }.run(device)?;
    }
    drop(share);
    let agreed = Share { around_vox: AROUND_VOX, least: LEAST_SHARE, part: &agreeing, all: confirmed };
    agreed.replace(work, matched, alone)?;
    drop(agreeing);
    let fields = [&alone.flow.components_vox[..], &matched.flow.components_vox[..]];
    let Preference { for_first, all } = Preference::between(work, fields)?;
    for Majority { around_vox, least_share } in MAJORITIES {
        let preferred = Share { around_vox, least: least_share, part: &for_first, all: &all };
        preferred.replace(work, matched, alone)?;
    }
    Ok(())
}

/// A share of the weights around a voxel that decides.
struct Share<'a> {
    /// Half width of the window in pictures and in volumes, voxels.
    around_vox: [usize; 2],
    /// From which share on.
    least: f32,
    part: &'a Buffer,
    all: &'a Buffer,
}

impl Share<'_> {
    /// Replaces flow and confidence by those of the method alone where the share is large enough.
    fn replace(&self, work: &Work<'_>, matched: &mut PendingFlow, alone: &PendingFlow) -> Result<()> {
        let (device, shape) = (work.device, work.shape());
        let radius = [self.around_vox[shape.components() - 2]; 3];
        let around = |input: &Buffer| {
            written(device, shape.len(), |output| WindowSum { shape, radius, input, output }.run(device))
        };
        let (agreeing, all) = (&around(self.part)?, &around(self.all)?);
        let by = alone.flow.components_vox.iter().chain([&alone.confidence]);
        let replaced = matched.flow.components_vox.iter_mut().chain([&mut matched.confidence]);
        for (out, by) in replaced.zip(by) {
            Replacement { share: self.least, agreeing, all, by, out }.run(device)?;
        }
        Ok(())
    }
}
