//! The motion from a start frame to every frame of cines: the one place that knows how it is found.

use super::part::Part;
use super::region::MARGIN_MM;
use crate::VeloxelError;
use crate::jobs::RunOptions;
use crate::jobs::full_scale::full_scale;
use veloxel_core::parameters::{Parameters, Values};
use veloxel_core::{Flow, Mask, Volume};
use veloxel_gpu::Device;
use veloxel_motion::cycle::{
    CineFrames, Cycle, CycleEstimate, CyclePlan, Outlined, Periodic, track_cycles, track_whole,
};
use veloxel_motion::{AnyMethod, FiniteElementsParams, Observer, SequenceFrames};
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

/// The frames of one slice, or of a stack, and how much their data count.
pub(super) struct Frames {
    pub frames: Vec<Volume<f32>>,
    pub weight: Option<Volume<f32>>,
    /// Within the outlines of the start frame, where pairs are to begin from what lies there too.
    pub outlined: Option<Mask>,
}

impl Frames {
    fn given(&self) -> CineFrames<'_> {
        let frames = SequenceFrames { weights: self.weight.as_slice(), ..SequenceFrames::new(&self.frames) };
        let farthest_vox = MARGIN_MM / self.frames[0].grid().spacing_mm()[0];
        let outlined = self.outlined.as_ref().map(|within| Outlined { within, farthest_vox });
        CineFrames { frames, outlined }
    }
}

/// Follows the motion of cines on one grid from a start frame, each for itself; at least one.
pub(super) fn follow(
    cines: &[Frames],
    plan: CyclePlan,
    options: &RunOptions,
    device: &Device,
    observer: &dyn Observer,
) -> Result<Vec<Followed>, VeloxelError> {
    // Two frames are one way there and back: nothing comes around.
    let periodic = if cines[0].frames.len() == 2 { Periodic::No } else { plan.periodic };
    let plan = CyclePlan { periodic, ..plan };
    if plan.estimate == CycleEstimate::Whole {
        let each = |(nth, cine): (usize, &Frames)| {
            let part = Part { observer, nth, count: cines.len() };
            whole(cine.given().frames, plan, options, device, &part)
        };
        return cines.iter().enumerate().map(each).collect();
    }
    let first = &cines[0].frames[plan.start];
    let mut opened = options.open_method(first.grid(), full_scale(first), 2, device)?;
    let AnyMethod::Pair(method) = &mut opened.method else {
        let name = options.method.method_name();
        let reason = format!("{name} takes windows of frames: name a method of pairs to track with");
        return Err(VeloxelError::Frames { reason });
    };
    let given: Vec<CineFrames<'_>> = cines.iter().map(Frames::given).collect();
    let cycles = track_cycles(&mut **method, &given, plan, observer)?;
    Ok(cycles.into_iter().map(|cycle| followed(cycle, opened.parameters.clone())).collect())
}

/// One motion of all frames, with time as a coordinate of the lattice.
fn whole(
    sequence: SequenceFrames<'_>,
    plan: CyclePlan,
    options: &RunOptions,
    device: &Device,
    observer: &dyn Observer,
) -> Result<Followed, VeloxelError> {
    let name = options.method.method_name();
    if name != FiniteElementsParams::METHOD {
        let reason =
            format!("--estimate whole is one motion of finite elements, not of {name}: add --method fe");
        return Err(VeloxelError::Frames { reason });
    }
    let dimension = sequence.frames[plan.start].grid().dimension();
    let params: FiniteElementsParams = options.method.build(dimension)?;
    let cycle = track_whole(&params, sequence, plan, device, observer)?;
    Ok(followed(cycle, params.to_json()))
}

fn followed(cycle: Cycle, parameters: Values) -> Followed {
    let mut found = Followed {
        flows: Vec::new(),
        forward: Vec::new(),
        backward: Vec::new(),
        reference: Vec::new(),
        periodicity: if cycle.periodicity.is_periodic { Periodicity::Periodic } else { Periodicity::Open },
        parameters,
        drift_vox: cycle.drift_vox,
    };
    for frame in cycle.frames {
        found.flows.push(frame.flow);
        found.forward.push(frame.forward);
        found.backward.push(frame.backward);
        found.reference.push(frame.reference);
    }
    found
}
