//! The motion from a start frame to every frame of cines: the one place that knows how it is found.

use super::region::MARGIN_MM;
use crate::Result;
use crate::jobs::RunOptions;
use veloxel_core::parameters::{Parameters, Values};
use veloxel_core::{Mask, Portion, Volume};
use veloxel_gpu::Device;
use veloxel_motion::over::cycle::{
    CineFrames, Cycle, CycleEstimate, CyclePlan, Outlined, Periodic, track_cycles, track_whole,
};
use veloxel_motion::{AnyMethod, FiniteElementsParams, SequenceFrames};

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

/// Follows the motion of cines on one grid from a start frame, each for itself; at least one. With every parameter as used.
pub(super) fn follow(
    cines: &[Frames],
    plan: CyclePlan,
    options: &RunOptions,
    device: &Device,
) -> Result<(Vec<Cycle>, Values)> {
    // Two frames are one way there and back: nothing comes around.
    let periodic = if cines[0].frames.len() == 2 { Periodic::No } else { plan.periodic };
    let plan = CyclePlan { periodic, ..plan };
    let (first, name) = (&cines[0].frames[plan.start], options.method.method_name());
    if plan.estimate == CycleEstimate::Whole {
        if name != FiniteElementsParams::METHOD {
            return Err(frames!(
                "--estimate whole is one motion of finite elements, not of {name}: add --method fe"
            ));
        }
        let params: FiniteElementsParams = options.method.build(first.grid().dimension())?;
        let each = |(nth, cine): (usize, &Frames)| {
            let portion = Portion::nth_of(nth, cines.len());
            let whole = || track_whole(&params, cine.given().frames, plan, device);
            device.control().portion(portion, whole)
        };
        let cycles = cines.iter().enumerate().map(each).collect::<Result<_, _>>()?;
        return Ok((cycles, params.to_json()));
    }
    let mut opened = options.open_for(first, 2, device)?;
    let AnyMethod::Pair(method) = &mut opened.method else {
        return Err(frames!("{name} takes windows of frames: name a method of pairs to track with"));
    };
    let given: Vec<CineFrames<'_>> = cines.iter().map(Frames::given).collect();
    let cycles = track_cycles(&mut **method, &given, plan)?;
    Ok((cycles, opened.parameters))
}
