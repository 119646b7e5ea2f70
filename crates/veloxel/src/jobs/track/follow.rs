//! The motion from a start frame to every frame of a cine: the one place that knows how it is found.

use crate::VeloxelError;
use crate::jobs::RunOptions;
use crate::jobs::full_scale::full_scale;
use veloxel_core::parameters::Values;
use veloxel_core::{Flow, Volume};
use veloxel_gpu::Device;
use veloxel_motion::cycle::{CyclePlan, Periodic, track_cycle};
use veloxel_motion::{AnyMethod, Observer, SequenceFrames};
use veloxel_report::metrics::Periodicity;

/// The motion of a cine, in each way by frame.
pub(super) struct Followed {
    /// The start frame to every frame, on its grid; that to itself is 0.
    pub flows: Vec<Flow>,
    /// The same, composed forwards in time alone.
    pub forward: Vec<Flow>,
    /// And backwards.
    pub backward: Vec<Flow>,
    /// The start frame registered to each, where that was asked for.
    pub reference: Vec<Option<Flow>>,
    /// Whether the last frame is followed by the first.
    pub periodicity: Periodicity,
    /// Every parameter as used.
    pub parameters: Values,
    /// By how much the ways miss the identity once around, voxels.
    pub drift_vox: [Option<f64>; 2],
}

/// Follows the motion of a cine on one grid from a start frame.
pub(super) fn follow(
    frames: &[Volume<f32>],
    plan: CyclePlan,
    options: &RunOptions,
    (device, observer): (&Device, &dyn Observer),
) -> Result<Followed, VeloxelError> {
    let first = &frames[plan.start];
    let mut opened = options.open_method((first.grid(), full_scale(first), 2), device)?;
    let AnyMethod::Pair(method) = &mut opened.method else {
        let name = options.method.method_name();
        let reason = format!("{name} takes windows of frames: name a method of pairs to track with");
        return Err(VeloxelError::Frames { reason });
    };
    // Two frames are one way there and back: nothing comes around.
    let periodic = if frames.len() == 2 { Periodic::No } else { plan.periodic };
    let sequence = SequenceFrames { frames, masks: &[], volume_masks: &[] };
    let cycle = track_cycle(&mut **method, sequence, CyclePlan { periodic, ..plan }, observer)?;
    let mut found = Followed {
        flows: Vec::new(),
        forward: Vec::new(),
        backward: Vec::new(),
        reference: Vec::new(),
        periodicity: if cycle.periodicity.is_periodic { Periodicity::Periodic } else { Periodicity::Open },
        parameters: opened.parameters,
        drift_vox: cycle.drift_vox,
    };
    for frame in cycle.frames {
        found.flows.push(frame.flow);
        found.forward.push(frame.forward);
        found.backward.push(frame.backward);
        found.reference.push(frame.reference);
    }
    Ok(found)
}
