//! Phase-based optical flow: two, three or five frames in (`f32`, 2-D), a displacement in pixels a frame with a confidence
//! for every vector out.
//!
//! *Paper*: Pauwels et al. 2012 (see [`mod@crate::phase_features`]), section 5, eq. 12-16; after T. Gautama, M. Van Hulle, "A
//! phase-based approach to the estimation of the optical flow field using spatial filtering", IEEE TNN 13 (2002).
//!
//! *Notation*
//!
//! | paper | code | unit |
//! |---|---|---|
//! | ψ_q | `slope` | radians a frame |
//! | τ_l | `tau_l` | radians², mean squared error of the line through the phases |
//! | v | the flow | pixels of the level a frame |
//!
//! *Where we differ*: velocities are weighed by their fit, and the median is 5×5 on coarse levels (`paper`: alike and 3×3);
//! a level that finds nothing passes the coarser estimate on; two frames have no line, so the field back from the second
//! checks them. *Cost*: a pyramid a frame; two launches a level. *Evidence*: `tests/phase_flow.rs`; docs/status/accuracy.md
//! (Table 6). *Limits*: motion up to about a pixel of the coarsest level a frame in five frames, two in two; constant velocity
//! over the frames is assumed, and `tau_l` says how strictly.

use crate::MotionError;
use crate::gabor_pyramid::{GaborPyramid, PhasePlan, PhaseWanted, Pictured, check_picture};
use crate::phase_check::Checked;
use crate::phase_parameters::{Frames, PhaseParameters, Unknown, Warping, Weighing};
use crate::phase_report::PhaseReport;
use crate::phase_twin::{round_estimate, warped_level};
use veloxel_core::{Flow, Grid, Volume};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::image::valid_median::{Planes, valid_median};
use veloxel_kernels::phase::forward_backward_check::Matches;
use veloxel_kernels::phase::phase_flow::{self as kernel, Constraints, Place, Sampling};

/// A flow field.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseFlow {
    /// Of the centre frame (of two: the first), towards the next one; NaN where unknown.
    pub flow: Flow,
    /// How many orientations count, and how well lines fit their phases: 0 to 1.
    pub confidence: Volume<f32>,
    /// How the run went.
    pub report: PhaseReport,
}

/// Finds the flow of the centre frame; there must be as many frames as the parameters say, in the order of time.
///
/// # Errors
/// As [`crate::phase_features()`]; [`MotionError::Input`] if the frames differ in size; [`MotionError::Sequence`] for another
/// number of frames.
pub fn phase_flow(
    frames: &[&Volume<f32>],
    parameters: &PhaseParameters,
    device: &Device,
) -> Result<PhaseFlow, MotionError> {
    let count = parameters.frames.count();
    if frames.len() != count {
        let reason = format!("{count} frames are needed, {} were given", frames.len());
        return Err(MotionError::Sequence { reason });
    }
    let mut size = [0; 2];
    for (t, frame) in frames.iter().enumerate() {
        size = check_picture(&format!("frame {t}"), frame)?;
        frames[0].grid().require_same(frame.grid(), &format!("frames 0 and {t}"))?;
    }
    let wanted = PhaseWanted { flow: true, stereo: false, features: false };
    let plan = PhasePlan::new(size, wanted, parameters, device)?;
    device.scope(|| {
        let pyramids = frames.iter().map(|f| GaborPyramid::of(&plan, f)).collect::<Result<Vec<_>, _>>()?;
        let mut fields = FlowFields::new(&plan)?;
        fields.find(&plan, &pyramids.iter().collect::<Vec<_>>())?;
        fields.fetch(&plan, frames[0].grid())
    })
}

/// One direction's fields, a level each.
#[derive(Debug)]
struct Direction {
    /// As the kernel finds them, and after the median.
    raw: Vec<Buffer>,
    filtered: Vec<Buffer>,
    confidence: Vec<Buffer>,
}

/// Flow in the memory of a device.
#[derive(Debug)]
pub(crate) struct FlowFields {
    forward: Direction,
    /// Of two frames: from the second to the first; and what the check leaves.
    back: Option<(Direction, Checked)>,
}

impl Direction {
    fn new(plan: &PhasePlan) -> Result<Self, MotionError> {
        let levels = plan.flow_levels;
        Ok(Self {
            raw: plan.buffers(levels, 2)?,
            filtered: plan.buffers(levels, 2)?,
            confidence: plan.buffers(levels, 1)?,
        })
    }

    fn find(&mut self, plan: &PhasePlan, frames: &[&GaborPyramid]) -> Result<(), MotionError> {
        let parameters = &plan.parameters;
        let constraints = Constraints {
            tau_l: parameters.tau_l,
            min_orientations: parameters.min_orientations,
            weighing: match parameters.weighing {
                Weighing::Alike => kernel::Weighing::Alike,
                Weighing::ByFit => kernel::Weighing::ByFit,
            },
        };
        let centre = parameters.frames.centre() as f32;
        let timed: Vec<(Pictured<'_>, f32)> =
            frames.iter().enumerate().map(|(t, f)| (f.lend(), t as f32 - centre)).collect();
        for level in (0..plan.flow_levels).rev() {
            let (finer, coarser) = self.filtered.split_at_mut(level + 1);
            let coarser = coarser.first();
            let warped = match coarser {
                Some(coarser) if parameters.warping == Warping::Images => {
                    Some(warped_level(plan, level, (&timed, coarser))?)
                }
                _ => None,
            };
            let (place, phases): (_, Vec<&Buffer>) = match &warped {
                Some(warped) => {
                    let place = Place { levels: &warped.levels, level: 0, sampling: Sampling::InPlace };
                    (place, warped.phases.iter().collect())
                }
                None => {
                    let place = Place { levels: &plan.levels, level, sampling: Sampling::Displaced };
                    (place, frames.iter().map(|f| &f.phases).collect())
                }
            };
            kernel::phase_flow(
                &plan.device,
                (place, constraints),
                (&phases, coarser),
                (&mut self.raw[level], &mut self.confidence[level]),
            )?;
            // The finest level's own estimate or none: nothing checks what the coarser one would say here.
            let fill = coarser.filter(|_| level > 0 && parameters.unknown == Unknown::PassThrough);
            let planes = Planes { size: plan.levels.size(level), count: 2 };
            valid_median(
                &plan.device,
                (planes, plan.window(level)),
                (&self.raw[level], fill),
                (&mut finer[level], Some(&mut self.confidence[level])),
            )?;
            round_estimate(plan, &mut finer[level])?;
        }
        Ok(())
    }
}

impl FlowFields {
    pub fn new(plan: &PhasePlan) -> Result<Self, MotionError> {
        let parameters = &plan.parameters;
        let is_checked = parameters.frames == Frames::Two && parameters.flow_check_px > 0.0;
        let back = match is_checked {
            false => None,
            true => Some((Direction::new(plan)?, Checked::new(plan, 2)?)),
        };
        Ok(Self { forward: Direction::new(plan)?, back })
    }

    pub fn find(&mut self, plan: &PhasePlan, frames: &[&GaborPyramid]) -> Result<(), MotionError> {
        self.forward.find(plan, frames)?;
        if let Some((back, checked)) = &mut self.back {
            back.find(plan, &[frames[1], frames[0]])?;
            let matches = Matches::Flow { forward: &self.forward.filtered[0], backward: &back.filtered[0] };
            checked.find((plan, plan.parameters.flow_check_px), (matches, &self.forward.confidence[0]))?;
        }
        Ok(())
    }

    /// Flow, both components, and confidence.
    pub fn found(&self) -> [&Buffer; 2] {
        match &self.back {
            Some((_, checked)) => checked.found(),
            None => [&self.forward.filtered[0], &self.forward.confidence[0]],
        }
    }

    /// Gives the flow away; the next one is found in `other`.
    pub fn take(&mut self, other: Buffer) -> Buffer {
        let flow =
            self.back.as_mut().map_or(&mut self.forward.filtered[0], |(_, checked)| checked.estimate_mut());
        std::mem::replace(flow, other)
    }

    pub fn fetch(&self, plan: &PhasePlan, grid: &Grid) -> Result<PhaseFlow, MotionError> {
        let [flow, confidence] = self.found();
        let n = grid.len();
        let [x, y, confidence] = plan.fetch([(flow, 0..n), (flow, n..2 * n), (confidence, 0..n)])?;
        let sizes = &plan.levels.sizes()[..plan.flow_levels];
        let report = PhaseReport::new(sizes, &x, Some(&confidence));
        Ok(PhaseFlow {
            flow: Flow::new(grid.clone(), vec![x, y])?,
            confidence: Volume::new(grid.clone(), confidence)?,
            report,
        })
    }
}
