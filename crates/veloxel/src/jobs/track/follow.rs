//! The motion from a start frame to every frame of a cine: the one place that knows how it is found.

use crate::VeloxelError;
use crate::jobs::RunOptions;
use crate::jobs::full_scale::full_scale;
use veloxel_core::parameters::Values;
use veloxel_core::{Flow, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{
    AnyMethod, DenseFlow, Extras, MotionError, Observer, SequenceFrames, SequenceMode, SequencePlan,
    run_sequence,
};
use veloxel_report::metrics::Periodicity;

/// The motion of a cine.
pub(super) struct Followed {
    /// The start frame to every frame, on its grid; that to itself is 0.
    pub flows: Vec<Flow>,
    /// Whether the last frame is followed by the first.
    pub periodicity: Periodicity,
    /// Every parameter as used.
    pub parameters: Values,
    /// By how much the motion misses the identity once around, voxels.
    pub drift_vox: Option<f64>,
}

/// Follows the motion from frame `start` of a cine on one grid.
pub(super) fn follow(
    frames: &[Volume<f32>],
    start: usize,
    options: &RunOptions,
    (device, observer): (&Device, &dyn Observer),
) -> Result<Followed, VeloxelError> {
    let mut opened = options.open_method((frames[start].grid(), full_scale(&frames[start]), 2), device)?;
    let AnyMethod::Pair(method) = &mut opened.method else {
        let reason = format!(
            "{} takes windows of frames: name a method of pairs to track with",
            options.method.method_name()
        );
        return Err(VeloxelError::Frames { reason });
    };
    let mut flows: Vec<Flow> = frames.iter().map(|frame| Flow::zeros(frame.grid().clone())).collect();
    let plan = SequencePlan { mode: SequenceMode::Reference, reference: start, extras: Extras::default() };
    let sequence = SequenceFrames { frames, masks: &[], volume_masks: &[] };
    run_sequence(&mut **method, sequence, plan, observer, &mut |field| {
        let DenseFlow { flow, .. } = field.output;
        flows[field.moving] = flow;
        Ok::<(), MotionError>(())
    })?;
    let parameters = opened.parameters;
    Ok(Followed { flows, periodicity: Periodicity::Open, parameters, drift_vox: None })
}
