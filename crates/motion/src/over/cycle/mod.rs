//! Frames of one beat (or of any other course of time) in, the motion from a start frame to every frame out.
//!
//! *Paper*: B. Li, A. A. Young, B. R. Cowan, GPU accelerated non-rigid registration for the evaluation of cardiac function,
//! MICCAI 2008; section 2, the composition of incremental registrations and equation 6.
//!
//! *Method*: neighbours in time are registered in both directions, over the end of a periodic sequence too.
//! The forward motion of frame t is composed from the start frame on, the backward one from the start frame back around the
//! cycle:
//!
//! ```text
//! xᶠ_t = x_{t−1→t} ∘ … ∘ x_{s→s+1}      xᵇ_t = x_{t+1→t} ∘ … ∘ x_{s→s−1}
//! x_t  = (1 − w) xᶠ_t + w xᵇ_t,   w = (t − s) / T                              eq. 6
//! ```
//!
//! | paper | here | unit |
//! |---|---|---|
//! | `x_t(X) − X` | [`CycleFrame::flow`] | voxels of the start frame |
//! | `xᶠ`, `xᵇ` | [`CycleFrame::forward`], [`CycleFrame::backward`] | the same |
//! | `w` | `share` | 1 |
//! | frame s | [`CyclePlan::start`] | index |
//!
//! *Where we differ*: any method of the seam finds the increments; the start may be any frame; a sequence that is not periodic
//! has no way around its end, so each frame is reached by the one way there is; [`CycleEstimate::Reference`] goes on from
//! the blend and registers the start frame to each frame itself, which does not add up errors of increments, and
//! [`CycleEstimate::Closed`] lets the forward motion end in that: increments follow the endocardium farther, and drift;
//! [`CycleEstimate::Whole`] composes nothing, and solves for all frames together.
//! *Drift* is how far each way misses the identity once around.
//!
//! *Cost*: 2 T pairs, with a reference 3 T; all frames and 2 T flows are on the device.
//! *Evidence*: `tests` of this module; `docs/algorithms/cycle.md`.
//! *Limits*: motion out of the plane of slices that stand alone is not seen. Where a composed path leaves the grid, the vector
//! that it had before is kept.

mod contour;
mod course;
mod outlined;
mod periodicity;
mod placement;
mod rim;
mod slice;
#[cfg(test)]
mod tests;
mod whole;

use crate::error::MotionError;
use crate::method::pair::PairMethod;
use crate::over::sequence::{SequenceFrames, require_frames};
pub use contour::{ContourMotion, ContourRule, offset_vertices};
use course::{CineLane, Course};
pub use outlined::Outlined;
pub use periodicity::{PeriodicChoice, Periodicity};
pub use placement::{BloodPlace, misplaced_px};
pub use rim::Rim;
pub use slice::Slice;
use veloxel_core::{Flow, JacobianReport};
pub use whole::track_whole;

/// Which motion of a frame is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CycleEstimate {
    /// Composed forwards in time.
    Forward,
    /// Composed backwards in time.
    Backward,
    /// Both by equation 6.
    #[default]
    Blended,
    /// The start frame to every frame, begun from the blend.
    Reference,
    /// Equation 6 with the reference in the backward motion's place and w², which trusts increments for longer.
    Closed,
    /// One smooth motion of all frames together, time a coordinate of the lattice: [`track_whole`].
    Whole,
}

impl CycleEstimate {
    /// All of them, in the order of their words' list.
    pub const ALL: [Self; 6] =
        [Self::Forward, Self::Backward, Self::Blended, Self::Reference, Self::Closed, Self::Whole];

    /// The word by which a user asks for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Blended => "blended",
            Self::Reference => "reference",
            Self::Closed => "closed",
            Self::Whole => "whole",
        }
    }
}

/// What to do with the frames of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CyclePlan {
    /// The frame on whose grid motion lives.
    pub start: usize,
    /// Whether the last frame is followed by the first.
    pub periodic: PeriodicChoice,
    /// Which motion is handed out.
    pub estimate: CycleEstimate,
}

/// The frames of a cine.
#[derive(Debug, Clone, Copy)]
pub struct CineFrames<'a> {
    /// In order of time, with what counts in them.
    pub frames: SequenceFrames<'a>,
    /// What lies within the outlines of the start frame. Where it is given, pairs from that frame begin from maps of what lies
    /// there too, and the flow that fits best there is taken: for frames far apart in time.
    pub outlined: Option<Outlined<'a>>,
}

impl<'a> From<SequenceFrames<'a>> for CineFrames<'a> {
    fn from(frames: SequenceFrames<'a>) -> Self {
        Self { frames, outlined: None }
    }
}

/// The motion from the start frame to one frame, on the start frame's grid.
#[derive(Debug, Clone, PartialEq)]
pub struct CycleFrame {
    /// The motion that was asked for.
    pub flow: Flow,
    /// Composed forwards in time; of a frame before the start of a sequence that is not periodic: backwards.
    pub forward: Flow,
    /// Composed backwards in time; of a frame after the start of a sequence that is not periodic: forwards.
    pub backward: Flow,
    /// The start frame registered to this one; of [`CycleEstimate::Reference`] and [`CycleEstimate::Closed`], but for the
    /// start frame itself.
    pub reference: Option<Flow>,
    /// det(I + ∇d) of `flow`, within the start frame's mask.
    pub jacobian: JacobianReport,
}

/// The motion over a cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// In order of time; that of the start frame is zero.
    pub frames: Vec<CycleFrame>,
    /// Whether the last frame is followed by the first, and how that was known.
    pub periodicity: Periodicity,
    /// Mean distance by which the forward and the backward motion miss the identity once around, voxels, within the start
    /// frame's mask; none for a sequence that is not periodic.
    pub drift_vox: [Option<f64>; 2],
}

/// Estimates the motion from a start frame to every other one.
///
/// # Errors As [`PairMethod::run`]; [`MotionError::Sequence`] for fewer than two frames, a start beyond them, or the wrong
/// number of masks.
pub fn track_cycle(
    method: &mut dyn PairMethod,
    frames: SequenceFrames<'_>,
    plan: CyclePlan,
) -> Result<Cycle, MotionError> {
    let mut cycles = track_cycles(method, &[frames.into()], plan)?;
    Ok(cycles.pop().expect("a cine should give a cycle"))
}

/// Estimates the motion of several cines of equally many frames on one grid, such as the slices of a stack, each separately; a
/// method that works on several pairs at once ([`PairMethod::estimate_many`]) gets the pairs of all of them. The results are
/// those of [`track_cycle`].
///
/// # Errors
/// As [`track_cycle`].
pub fn track_cycles(
    method: &mut dyn PairMethod,
    cines: &[CineFrames<'_>],
    plan: CyclePlan,
) -> Result<Vec<Cycle>, MotionError> {
    for cine in cines {
        require_frames(&cine.frames, plan.start)?;
        let [got, expected] = [cine, &cines[0]].map(|cine| cine.frames.frames.len());
        if got != expected {
            let reason =
                format!("cines that are followed together have one number of frames: {expected}, {got}");
            return Err(MotionError::Sequence { reason });
        }
    }
    if plan.estimate == CycleEstimate::Whole {
        let reason = "one motion of all frames is that of finite elements, and no pairs'".to_owned();
        return Err(MotionError::Sequence { reason });
    }
    let device = method.device().clone();
    device.scope(|| {
        let upload = |frames| CineLane::upload(&device, frames);
        let lanes = cines.iter().map(upload).collect::<Result<Vec<_>, _>>()?;
        let decide = |lane: &CineLane| {
            periodicity::decide(&device, &lane.frames, lane.regions.of(plan.start).mask, plan.periodic)
        };
        let periodicities = lanes.iter().map(decide).collect::<Result<Vec<_>, _>>()?;
        Course::new(method, &lanes, plan).follow(&periodicities)
    })
}
