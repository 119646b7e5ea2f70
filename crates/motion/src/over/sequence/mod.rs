//! Frames of one grid in, flows between them out: neighbour to neighbour, from a reference to every frame, or both.
//!
//! *Consecutive*: `t → t + 1`. *Reference*: `r → t`, each started from the composed consecutive flows, so that motion
//! larger than the pyramid could find is refined instead of searched for. *Both*: also the last frame to the first, and
//! the drift: how far the consecutive flows, composed once around the cycle, miss the identity.
//! A method that takes a window of frames has consecutive flows alone ([`run_windows`]).
//!
//! *Where we differ*: frames before the reference are reached by consecutive flows backwards in time, which are not
//! handed out; where a composed start leaves the grid it keeps the last vector known.
//!
//! *Threads*: on a GPU one thread asks for pairs and another hands flows out; see `consecutive`.
//!
//! *Cost*: two composed flows beside the method's own memory; results are handed out one by one and not kept. Every frame goes
//! to the device once, and flows are composed there.

mod ahead;
mod brought;
mod course;
mod regions;
mod resident;
mod run;
mod side_by_side;
mod turns;

use crate::error::{MotionError, Result};
use crate::method::pair::PairMethod;
use crate::method::pending_flow::{DenseFlow, FlowExtras};
use crate::method::window::WindowMethod;
use ahead::asked_ahead;
use course::Course;
pub(crate) use regions::FrameRegions;
pub use resident::{ResidentField, ResidentSteps};
use run::Run;
pub use side_by_side::run_pairs_side_by_side;
use turns::Turns;
use veloxel_core::{Mask, Portion, Volume};

/// Which flows of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceMode {
    /// Every frame to its successor.
    Consecutive,
    /// The reference to every other frame.
    Reference,
    /// Both, the last frame to the first, and the drift.
    Both,
}

/// What to do with a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequencePlan {
    /// Which flows.
    pub mode: SequenceMode,
    /// The frame that reference flows live on.
    pub reference: usize,
    /// What is fetched beside every flow.
    pub extras: FlowExtras,
}

/// The frames and where their data count.
#[derive(Debug, Clone, Copy)]
pub struct SequenceFrames<'a> {
    /// In order of time, one grid.
    pub frames: &'a [Volume<f32>],
    /// Where data count: none, one for every frame, or one a frame.
    pub masks: &'a [Mask],
    /// Where volume is preserved: none, one mask for every frame, or one a frame.
    pub volume_masks: &'a [Mask],
    /// How much data count: none, one weight for every frame, or one a frame; see [`Pair::weight`](crate::Pair::weight).
    pub weights: &'a [Volume<f32>],
    /// Where each frame has data at all: nothing, or one mask a frame. Data of two frames count where both have some.
    pub known: &'a [Mask],
}

/// What a flow is in its sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceRole {
    /// A frame to its successor; of `both`, also the last to the first.
    Consecutive,
    /// The reference to a frame.
    Reference,
}

/// One flow of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceField {
    /// Which series it belongs to.
    pub role: SequenceRole,
    /// The frame that it lives on.
    pub fixed: usize,
    /// The frame that it points into.
    pub moving: usize,
    /// The flow, its confidence and its diagnostics.
    pub output: DenseFlow,
}

impl<'a> SequenceFrames<'a> {
    /// Frames of which nothing else is known.
    pub fn new(frames: &'a [Volume<f32>]) -> Self {
        Self { frames, masks: &[], volume_masks: &[], weights: &[], known: &[] }
    }

    /// Where a frame's data count.
    pub fn mask(&self, frame: usize) -> Option<&'a Mask> {
        of_frame(self.masks, frame)
    }
    /// Where a frame's data count beside those of others, which may have holes; none where no frame has any: its own mask counts.
    pub(crate) fn mask_beside(&self, frame: usize, others: impl IntoIterator<Item = usize>) -> Option<Mask> {
        let frames = std::iter::once(frame).chain(others);
        let masks: Vec<&Mask> = frames.filter_map(|nth| self.known.get(nth)).collect();
        let all = |index: usize| masks.iter().all(|mask| mask.data()[index]);
        let within = |index: usize| self.mask(frame).is_none_or(|mask| mask.data()[index]);
        let grid = masks.first()?.grid().clone();
        Mask::new(grid.clone(), (0..grid.len()).map(|index| all(index) && within(index)).collect()).ok()
    }
    /// Where a frame's volume is preserved.
    pub fn volume_mask(&self, frame: usize) -> Option<&'a Mask> {
        of_frame(self.volume_masks, frame)
    }
    /// Where a frame's field is judged: in its muscle, else where its data count.
    pub fn measured(&self, frame: usize) -> Option<&'a Mask> {
        self.volume_mask(frame).or(self.mask(frame))
    }
}

/// A frame's item of a list that is empty, holds one item for all frames, or one for each.
pub(crate) fn of_frame<T>(masks: &[T], frame: usize) -> Option<&T> {
    if masks.len() == 1 { masks.first() } else { masks.get(frame) }
}

/// Where a sequence's flows go.
pub type Deliver<'a, E> = &'a mut dyn FnMut(SequenceField) -> Result<(), E>;

/// Estimates the flows of a sequence and hands them out as they come; returns the drift (mean length of the motion
/// composed once around the cycle, voxels) if it was asked for and something of it is known.
///
/// # Errors As [`PairMethod::run`]; [`MotionError::Sequence`] for fewer than two frames, a reference beyond them, or the wrong
/// number of masks; whatever `deliver` fails with.
pub fn run_sequence<E: From<MotionError>>(
    method: &mut dyn PairMethod,
    frames: SequenceFrames<'_>,
    plan: SequencePlan,
    deliver: Deliver<'_, E>,
) -> Result<Option<f64>, E> {
    require_frames(&frames, plan.reference)?;
    let mut run = Run::new(method, frames, plan)?;
    if plan.mode == SequenceMode::Consecutive && run.device.is_gpu() {
        return consecutive(run, deliver).map(|()| None);
    }
    let (mut course, device) = (Course::new(plan, frames.frames.len()), run.device.clone());
    while let Some(asked) = course.next(&device, &mut |frames, start| run.ask(frames, start))? {
        deliver(run.finish(asked)?)?;
    }
    let Some(around) = course.around() else { return Ok(None) };
    Ok(around.mean_length_vox(&device, run.regions.of(0).measured())?)
}

/// Estimates the flow of every frame that is the centre of a window, towards the next one, and hands them out as they come.
///
/// # Errors
/// As [`WindowMethod::run`]; [`MotionError::Sequence`] for fewer frames than the window has; whatever `deliver` fails with.
pub fn run_windows<E: From<MotionError>>(
    method: &mut dyn WindowMethod,
    frames: SequenceFrames<'_>,
    extras: FlowExtras,
    deliver: Deliver<'_, E>,
) -> Result<(), E> {
    let window = method.window();
    if frames.frames.len() < window.frames {
        let reason = format!("expected at least {} frames, got {}", window.frames, frames.frames.len());
        return Err(MotionError::Sequence { reason }.into());
    }
    let (control, count) = (method.device().control().clone(), frames.frames.len() + 1 - window.frames);
    for (first, each) in frames.frames.windows(window.frames).enumerate() {
        let fixed = first + window.centre;
        let each: Vec<_> = each.iter().collect();
        let known = frames.mask_beside(fixed, first..first + window.frames);
        let run = || method.run(&each, known.as_ref().or(frames.mask(fixed)), extras);
        let output = control.portion(Portion::nth_of(first, count), run)?;
        control.step((first + 1) as f64 / count as f64, [None; 2]).map_err(MotionError::from)?;
        deliver(SequenceField { role: SequenceRole::Consecutive, fixed, moving: fixed + 1, output })?;
    }
    Ok(())
}

/// Every frame to its successor on a GPU: a thread brings frames and asks for pairs, this one fetches and hands out what the
/// device has found.
fn consecutive<E: From<MotionError>>(run: Run<'_>, deliver: Deliver<'_, E>) -> Result<(), E> {
    let extras = run.plan.extras;
    let turns = Turns::new(run.frames.frames.len() - 1, 1);
    std::thread::scope(|scope| {
        let _end = turns.end_when_dropped();
        for asked in asked_ahead(scope, run, &turns)? {
            let (fixed, pending) = asked?;
            let output = pending.finish(extras)?;
            deliver(SequenceField { role: SequenceRole::Consecutive, fixed, moving: fixed + 1, output })?;
            turns.handed_out();
        }
        Ok(())
    })
}

/// Fails for frames and a reference among them of which no run can be made.
pub(crate) fn require_frames(frames: &SequenceFrames<'_>, reference: usize) -> Result<()> {
    let count = frames.frames.len();
    require_count(count, reference)?;
    let reason = if ![0, count].contains(&frames.known.len()) {
        format!("expected no mask of data, or {count}, got {}", frames.known.len())
    } else if let Some(got) =
        [frames.masks.len(), frames.volume_masks.len()].into_iter().find(|n| ![0, 1, count].contains(n))
    {
        format!("expected no mask, one, or {count}, got {got}")
    } else {
        return Ok(());
    };
    Err(MotionError::Sequence { reason })
}

/// Fails for fewer than two frames, or a reference beyond them.
fn require_count(count: usize, reference: usize) -> Result<()> {
    let reason = if count < 2 {
        format!("expected at least 2 frames, got {count}")
    } else if reference >= count {
        format!("expected a reference frame from 0 to {}, got {reference}", count - 1)
    } else {
        return Ok(());
    };
    Err(MotionError::Sequence { reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clg::Clg;
    use crate::clg::parameters::{ClgParams, ClgPreset};
    use veloxel_core::{Dimension, Grid};
    use veloxel_gpu::Device;

    /// A pattern that goes around: frame t is shifted by s(t), back at 0 after the last.
    fn frames() -> (Vec<Volume<f32>>, [f64; 4]) {
        let shift = [0.0, 0.8, 1.4, 0.6];
        let grid = Grid::image(40, 36).unwrap();
        let frame = |s: f64| {
            Volume::from_fn(grid.clone(), move |[x, y, _]| {
                let (x, y) = (x as f64 - s, y as f64);
                ((0.35 * x).sin() * (0.3 * y + 0.1 * x).cos() + 0.5 * (0.2 * y - 0.5 * x).sin()) as f32
            })
        };
        (shift.map(frame).to_vec(), shift)
    }

    fn run(mode: SequenceMode, reference: usize) -> (Vec<SequenceField>, Option<f64>) {
        let (frames, _) = frames();
        let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
        let mut method = Clg::new(frames[0].grid(), params, &Device::cpu(1).unwrap()).unwrap();
        let mut fields = Vec::new();
        let drift = run_sequence::<MotionError>(
            &mut method,
            SequenceFrames::new(&frames),
            SequencePlan { mode, reference, extras: FlowExtras::default() },
            &mut |field| {
                fields.push(field);
                Ok(())
            },
        )
        .unwrap();
        (fields, drift)
    }

    #[test]
    fn every_field_of_a_cycle_is_the_shift_between_its_frames() {
        let (_, shift) = frames();
        for reference in [0, 2] {
            let (fields, drift) = run(SequenceMode::Both, reference);
            assert_eq!(fields.iter().filter(|f| f.role == SequenceRole::Consecutive).count(), 4);
            assert_eq!(fields.iter().filter(|f| f.role == SequenceRole::Reference).count(), 3);
            for field in &fields {
                let middle = field.output.flow.grid().index([20, 18, 0]);
                let expected = shift[field.moving] - shift[field.fixed];
                let [u, v, _] = field.output.flow.vector_vox(middle).map(f64::from);
                let what = format!("{} → {}: ({u}, {v}) for {expected}", field.fixed, field.moving);
                assert!((u - expected).abs() < 0.1 && v.abs() < 0.1, "{what}");
            }
            assert!(drift.unwrap() < 0.15, "{drift:?}");
        }
    }

    #[test]
    fn modes_hand_out_what_they_promise() {
        let (fields, drift) = run(SequenceMode::Consecutive, 0);
        let pairs: Vec<_> = fields.iter().map(|f| (f.fixed, f.moving)).collect();
        assert_eq!((pairs, drift), (vec![(0, 1), (1, 2), (2, 3)], None));
        let (fields, drift) = run(SequenceMode::Reference, 1);
        let mut pairs: Vec<_> = fields.iter().map(|f| (f.fixed, f.moving)).collect();
        pairs.sort_unstable();
        assert_eq!((pairs, drift), (vec![(1, 0), (1, 2), (1, 3)], None));
    }
}
