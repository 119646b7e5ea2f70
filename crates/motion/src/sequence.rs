//! Frames of one grid in, fields between them out: neighbour to neighbour, from a reference to every frame, or both.
//!
//! *Consecutive*: `t → t + 1`. *Reference*: `r → t`, each started from the composed consecutive fields, so that motion
//! larger than the pyramid could find is refined instead of searched for. *Both*: also the last frame to the first, and
//! the drift: how far the consecutive fields, composed once around the cycle, miss the identity.
//!
//! *Where we differ*: frames before the reference are reached by consecutive fields backwards in time, which are not
//! handed out; where a composed start leaves the grid it keeps the last vector known.
//!
//! *Threads*: on a GPU one thread asks for pairs and another hands fields out; see `consecutive`.
//!
//! *Cost*: two composed fields beside the method's own memory; results are handed out one by one and not kept.

use crate::clg_parameters::Direction;
use crate::composition::compose_flows;
use crate::{Clg, FlowOutput, Frame, MotionError, Observer, Pair, Region, Running, Start, Step};
use std::collections::BTreeMap;
use veloxel_core::{Flow, Mask, Volume};

/// Which fields of a sequence.
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
    /// Which fields.
    pub mode: SequenceMode,
    /// The frame that reference fields live on.
    pub reference: usize,
}

/// The frames and where their data count.
#[derive(Debug, Clone, Copy)]
pub struct SequenceFrames<'a> {
    /// In order of time, one grid.
    pub frames: &'a [Volume<f32>],
    /// Where data count: none, one for every frame, or one a frame.
    pub masks: &'a [Mask],
    /// Where volume is preserved, likewise.
    pub volume_masks: &'a [Mask],
}

/// What a field is in its sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A frame to its successor; of `both`, also the last to the first.
    Consecutive,
    /// The reference to a frame.
    Reference,
}

/// One field of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceField {
    /// Which series it belongs to.
    pub role: Role,
    /// The frame that it lives on.
    pub fixed: usize,
    /// The frame that it points into.
    pub moving: usize,
    /// The field and what is said about it.
    pub output: FlowOutput,
}

impl<'a> SequenceFrames<'a> {
    /// Where a frame's data count.
    pub fn mask(&self, frame: usize) -> Option<&'a Mask> {
        of_frame(self.masks, frame)
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

fn of_frame(masks: &[Mask], frame: usize) -> Option<&Mask> {
    if masks.len() == 1 { masks.first() } else { masks.get(frame) }
}

/// Estimates the fields of a sequence and hands them out as they come; returns the drift (mean length of the motion
/// composed once around the cycle, voxels) if it was asked for and something of it is known.
///
/// # Errors
/// As [`Clg::run`]; [`MotionError::Sequence`] for fewer than two frames, a reference that is none of them, or the wrong
/// number of masks; whatever `deliver` fails with.
pub fn run_sequence<E: From<MotionError>>(
    method: &mut Clg,
    frames: SequenceFrames<'_>,
    plan: SequencePlan,
    (observer, deliver): (&dyn Observer, &mut dyn FnMut(SequenceField) -> Result<(), E>),
) -> Result<Option<f64>, E> {
    let count = frames.frames.len();
    require_plan(&frames, plan)?;
    let steps = Steps { observer, count: step_count(count, plan) };
    let mut run = Run { method, frames, on_device: BTreeMap::new(), steps, done: 0 };
    if plan.mode == SequenceMode::Consecutive && run.can_overlap() {
        return consecutive(run, deliver).map(|()| None);
    }
    let with_reference = plan.mode != SequenceMode::Consecutive;
    let hand_out = plan.mode != SequenceMode::Reference;
    let first = if hand_out { 0 } else { plan.reference };
    let mut around = None;
    let mut from_reference = None;
    for fixed in first..count - 1 {
        let output = run.estimate((fixed, fixed + 1), Start::Zero)?;
        if plan.mode == SequenceMode::Both {
            around = Some(extend(around.as_ref(), &output.flow)?);
        }
        if with_reference && fixed >= plan.reference {
            from_reference = Some(extend_known(from_reference.as_ref(), &output.flow)?);
        }
        if hand_out {
            deliver(SequenceField { role: Role::Consecutive, fixed, moving: fixed + 1, output })?;
        }
        if let Some(start) = &from_reference {
            let output = run.estimate((plan.reference, fixed + 1), Start::Flow(start))?;
            let role = Role::Reference;
            deliver(SequenceField { role, fixed: plan.reference, moving: fixed + 1, output })?;
        }
    }
    if with_reference {
        from_reference = None;
        for fixed in (1..=plan.reference).rev() {
            let back = run.estimate((fixed, fixed - 1), Start::Zero)?;
            let start = extend_known(from_reference.as_ref(), &back.flow)?;
            let output = run.estimate((plan.reference, fixed - 1), Start::Flow(&start))?;
            let role = Role::Reference;
            deliver(SequenceField { role, fixed: plan.reference, moving: fixed - 1, output })?;
            from_reference = Some(start);
        }
    }
    if plan.mode != SequenceMode::Both {
        return Ok(None);
    }
    let output = run.estimate((count - 1, 0), Start::Zero)?;
    let around = extend(around.as_ref(), &output.flow)?;
    deliver(SequenceField { role: Role::Consecutive, fixed: count - 1, moving: 0, output })?;
    Ok(mean_length_vox(&around, frames.measured(0)))
}

/// Every frame to its successor on a GPU: a thread brings frames and asks for pairs, this one fetches and hands out what the
/// device has found. The thread is one pair ahead: while a field leaves the device, the next one is at work, and the
/// frames of the one after are there and looked at.
fn consecutive<E: From<MotionError>>(
    mut run: Run<'_>,
    deliver: &mut dyn FnMut(SequenceField) -> Result<(), E>,
) -> Result<(), E> {
    std::thread::scope(|scope| {
        // With one pair waiting in between, the device has the next one before it is through with this one.
        let waiting = usize::from(run.has_room_for_three());
        let (sender, receiver) = std::sync::mpsc::sync_channel(waiting);
        scope.spawn(move || {
            for fixed in 0..run.frames.frames.len() - 1 {
                let running = run.ask_ahead(fixed);
                let failed = running.is_err();
                // Nobody listens any more once something else has failed.
                if sender.send(running).is_err() || failed {
                    return;
                }
            }
        });
        for (fixed, running) in receiver.into_iter().enumerate() {
            let output = running?.finish()?;
            deliver(SequenceField { role: Role::Consecutive, fixed, moving: fixed + 1, output })?;
        }
        Ok(())
    })
}

/// The method, and the frames that it has on its device.
struct Run<'a> {
    method: &'a mut Clg,
    frames: SequenceFrames<'a>,
    on_device: BTreeMap<usize, Frame>,
    steps: Steps<'a>,
    done: usize,
}

/// Volumes of memory from which on three pairs' results fit beside a run, twice over.
const VOLUMES_OF_THREE: usize = 128;
/// Frames kept on the device: a pair, the next one, and the reference.
const FRAMES_ON_DEVICE: usize = 4;

impl Run<'_> {
    /// Whether a pair can be asked for before the one before it has left the device.
    fn can_overlap(&self) -> bool {
        self.method.device().is_gpu() && self.method.params().direction == Direction::Forward
    }

    /// Whether three pairs' results leave more than enough memory for a run.
    fn has_room_for_three(&self) -> bool {
        let voxels = self.frames.frames.first().map_or(0, |frame| frame.grid().len());
        let enough = (VOLUMES_OF_THREE * voxels * size_of::<f32>()) as u64;
        self.method.device().info().memory_bytes.is_some_and(|bytes| bytes >= enough)
    }

    /// One field.
    fn estimate(
        &mut self,
        (fixed, moving): (usize, usize),
        start: Start<'_>,
    ) -> Result<FlowOutput, MotionError> {
        if self.method.params().direction == Direction::Forward {
            return self.ask((fixed, moving), start)?.finish();
        }
        let Region { mask, volume_mask } = self.region(fixed);
        let [image, other] = [fixed, moving].map(|frame| &self.frames.frames[frame]);
        let pair = Pair { fixed: image, moving: other, mask, volume_mask, start };
        let output = self.method.run(&pair, &Nth { steps: &self.steps, nth: self.done })?;
        self.done += 1;
        Ok(output)
    }

    /// A frame to its successor; the frame after that is on its way before, so that what is asked about it is known when
    /// its turn comes.
    fn ask_ahead(&mut self, fixed: usize) -> Result<Running, MotionError> {
        for frame in fixed..fixed + 3 {
            self.bring(frame, [fixed, fixed + 1])?;
        }
        self.ask((fixed, fixed + 1), Start::Zero)
    }

    /// A field that the device may still be at when this returns.
    fn ask(&mut self, (fixed, moving): (usize, usize), start: Start<'_>) -> Result<Running, MotionError> {
        self.bring(fixed, [fixed, moving])?;
        self.bring(moving, [fixed, moving])?;
        let images = (&self.on_device[&fixed], &self.on_device[&moving]);
        let observer = Nth { steps: &self.steps, nth: self.done };
        let running = self.method.run_frames(images, (self.region(fixed), start), &observer)?;
        self.done += 1;
        Ok(running)
    }

    /// Brings a frame, if there is one, to the device, in the place of the one farthest from those that are `needed`.
    fn bring(&mut self, frame: usize, needed: [usize; 2]) -> Result<(), MotionError> {
        let Some(image) = self.frames.frames.get(frame).filter(|_| !self.on_device.contains_key(&frame))
        else {
            return Ok(());
        };
        if self.on_device.len() >= FRAMES_ON_DEVICE {
            let away = |f: &usize| needed.iter().map(|n| n.abs_diff(*f)).min();
            let farthest = self.on_device.keys().filter(|f| !needed.contains(f)).copied().max_by_key(away);
            farthest.and_then(|farthest| self.on_device.remove(&farthest));
        }
        self.on_device.insert(frame, Frame::upload(self.method.device(), image)?);
        Ok(())
    }
}

impl<'a> Run<'a> {
    fn region(&self, fixed: usize) -> Region<'a> {
        Region { mask: self.frames.mask(fixed), volume_mask: self.frames.volume_mask(fixed) }
    }
}

fn require_plan(frames: &SequenceFrames<'_>, plan: SequencePlan) -> Result<(), MotionError> {
    let count = frames.frames.len();
    let reason = if count < 2 {
        format!("expected at least 2 frames, got {count}")
    } else if plan.reference >= count {
        format!("expected a reference frame from 0 to {}, got {}", count - 1, plan.reference)
    } else if let Some(got) =
        [frames.masks.len(), frames.volume_masks.len()].into_iter().find(|n| ![0, 1, count].contains(n))
    {
        format!("expected no mask, one, or {count}, got {got}")
    } else {
        return Ok(());
    };
    Err(MotionError::Sequence { reason })
}

/// How many fields are estimated, handed out or not.
fn step_count(count: usize, plan: SequencePlan) -> usize {
    match plan.mode {
        SequenceMode::Consecutive => count - 1,
        SequenceMode::Reference => 2 * (count - 1),
        SequenceMode::Both => 2 * (count - 1) + plan.reference + 1,
    }
}

/// The motion so far, followed by one more field.
fn extend(so_far: Option<&Flow>, next: &Flow) -> Result<Flow, MotionError> {
    so_far.map_or_else(|| Ok(next.clone()), |so_far| compose_flows(so_far, next))
}

/// [`extend`], keeping the last vector known where the motion leaves the grid.
fn extend_known(so_far: Option<&Flow>, next: &Flow) -> Result<Flow, MotionError> {
    let mut flow = extend(so_far, next)?;
    if let Some(so_far) = so_far {
        for (component, last) in flow.components_vox_mut().iter_mut().zip(so_far.components_vox()) {
            component.iter_mut().zip(last).filter(|(v, _)| !v.is_finite()).for_each(|(v, l)| *v = *l);
        }
    }
    Ok(flow)
}

fn mean_length_vox(flow: &Flow, mask: Option<&Mask>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0usize);
    for i in (0..flow.grid().len()).filter(|&i| flow.is_valid(i) && mask.is_none_or(|m| m.data()[i])) {
        sum += flow.vector_vox(i).iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}

/// Every field's progress as a part of the whole sequence's.
struct Steps<'a> {
    observer: &'a dyn Observer,
    count: usize,
}

struct Nth<'a> {
    steps: &'a Steps<'a>,
    nth: usize,
}

impl Observer for Nth<'_> {
    fn step(&self, step: Step) {
        let done = (self.nth as f64 + step.done) / self.steps.count as f64;
        self.steps.observer.step(Step { done, ..step });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClgParams, Preset, Silent};
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
        let params = ClgParams::preset(Preset::Fast, Dimension::Two);
        let mut method = Clg::new(frames[0].grid(), params, &Device::cpu(1).unwrap()).unwrap();
        let mut fields = Vec::new();
        let drift = run_sequence::<MotionError>(
            &mut method,
            SequenceFrames { frames: &frames, masks: &[], volume_masks: &[] },
            SequencePlan { mode, reference },
            (&Silent, &mut |field| {
                fields.push(field);
                Ok(())
            }),
        )
        .unwrap();
        (fields, drift)
    }

    #[test]
    fn every_field_of_a_cycle_is_the_shift_between_its_frames() {
        let (_, shift) = frames();
        for reference in [0, 2] {
            let (fields, drift) = run(SequenceMode::Both, reference);
            assert_eq!(fields.iter().filter(|f| f.role == Role::Consecutive).count(), 4);
            assert_eq!(fields.iter().filter(|f| f.role == Role::Reference).count(), 3);
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
