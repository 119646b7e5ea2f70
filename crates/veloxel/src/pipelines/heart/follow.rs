//! The motion from a start frame to every frame of cines: the one place that knows how it is found.

use super::HeartError;
use super::region::MARGIN_MM;
use crate::pipelines::prepare::full_scale::full_scale;
use crate::session::MethodKey;
use crate::{Result, Session};
use veloxel_core::parameters::{ParameterValues, Parameters};
use veloxel_core::{Mask, Portion, Volume};
use veloxel_motion::over::cycle::{
    CineFrames, Cycle, CycleEstimate, CyclePlan, Outlined, PeriodicChoice, track_cycles, track_whole,
};
use veloxel_motion::{AnyMethod, DenseDraft, FiniteElementsParams, MethodOpening, SequenceFrames};

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

/// Motion of cines, with every parameter as used.
pub(super) struct Followed {
    pub cycles: Vec<Cycle>,
    pub parameters: ParameterValues,
}

/// Follows the motion of cines on one grid from a start frame, each for itself; at least one.
pub(super) fn follow(
    cines: &[Frames],
    plan: CyclePlan,
    draft: &DenseDraft,
    session: &Session,
) -> Result<Followed> {
    // Two frames are one way there and back: nothing comes around.
    let periodic = if cines[0].frames.len() == 2 { PeriodicChoice::No } else { plan.periodic };
    let plan = CyclePlan { periodic, ..plan };
    if plan.estimate == CycleEstimate::Whole {
        return together(cines, plan, draft, session);
    }
    let (first, device) = (&cines[0].frames[plan.start], session.device()?);
    let (grid, frames, white) = (first.grid(), 2, full_scale(first));
    let key = MethodKey { draft: draft.clone(), grid: grid.clone(), frames, white, decorations: Vec::new() };
    let open = || Ok(MethodOpening { grid, image: grid, frames, white, draft, device }.open()?);
    session.with_method(&key, open, |opened| {
        let AnyMethod::Pair(method) = &mut opened.method else {
            return Err(HeartError::Windows { method: draft.method_name() }.into());
        };
        let given: Vec<CineFrames<'_>> = cines.iter().map(Frames::given).collect();
        let cycles = track_cycles(&mut **method, &given, plan)?;
        Ok(Followed { cycles, parameters: opened.parameters.clone() })
    })
}

/// One smooth motion of all frames of each cine.
fn together(cines: &[Frames], plan: CyclePlan, draft: &DenseDraft, session: &Session) -> Result<Followed> {
    if draft.method_name() != FiniteElementsParams::METHOD {
        return Err(HeartError::NotWhole { method: draft.method_name() }.into());
    }
    let dimension = cines[0].frames[plan.start].grid().dimension();
    let (params, device) = (draft.build::<FiniteElementsParams>(dimension)?, session.device()?);
    let each = |(nth, cine): (usize, &Frames)| {
        let portion = Portion::nth_of(nth, cines.len());
        device.control().portion(portion, || track_whole(&params, cine.given().frames, plan, device))
    };
    let cycles = cines.iter().enumerate().map(each).collect::<Result<_, _>>()?;
    Ok(Followed { cycles, parameters: params.to_json() })
}
