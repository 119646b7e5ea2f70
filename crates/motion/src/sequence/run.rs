//! The frames that a sequence has on its device, and the flows between them.

use super::{Deliver, Role, SequenceField, SequenceFrames, SequenceMode, SequencePlan, of_frame};
use crate::composition::compose_resident;
use crate::frame::Frame;
use crate::method::{ImagePair, PairMethod};
use crate::pending_flow::PendingFlow;
use crate::resident::{Region, ResidentFlow, ResidentMask, ResidentStart};
use crate::{MotionError, Observer, Step};
use std::collections::BTreeMap;
use veloxel_core::Mask;
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::variational::flow_composition::Outside;
use veloxel_kernels::variational::flow_length::FlowLength;

/// The method, and the frames and masks that it has on its device.
pub(super) struct Run<'a> {
    method: &'a mut dyn PairMethod,
    pub device: Device,
    pub frames: SequenceFrames<'a>,
    pub plan: SequencePlan,
    masks: Vec<ResidentMask>,
    volume_masks: Vec<ResidentMask>,
    weights: Vec<ResidentMask>,
    on_device: BTreeMap<usize, Frame>,
    steps: Steps<'a>,
    done: usize,
}

/// Volumes of memory from which on three pairs' results fit beside a run, twice over.
const VOLUMES_OF_THREE: usize = 128;
/// Frames kept on the device: a pair, the next one, and the reference.
const FRAMES_ON_DEVICE: usize = 4;

impl<'a> Run<'a> {
    pub fn new(
        method: &'a mut dyn PairMethod,
        frames: SequenceFrames<'a>,
        plan: SequencePlan,
        observer: &'a dyn Observer,
    ) -> Result<Self, MotionError> {
        let device = method.device().clone();
        let upload = |masks: &[Mask]| -> Result<Vec<ResidentMask>, MotionError> {
            masks.iter().map(|mask| ResidentMask::upload(&device, mask)).collect()
        };
        let steps = Steps { observer, count: step_count(frames.frames.len(), plan) };
        Ok(Self {
            masks: upload(frames.masks)?,
            volume_masks: upload(frames.volume_masks)?,
            weights: frames
                .weights
                .iter()
                .map(|w| ResidentMask::upload_weight(&device, w))
                .collect::<Result<_, _>>()?,
            method,
            device,
            frames,
            plan,
            on_device: BTreeMap::new(),
            steps,
            done: 0,
        })
    }

    /// Whether three pairs' results leave more than enough memory for a run.
    pub fn has_room_for_three(&self) -> bool {
        let voxels = self.frames.frames.first().map_or(0, |frame| frame.grid().len());
        let enough = (VOLUMES_OF_THREE * voxels * size_of::<f32>()) as u64;
        self.device.info().memory_bytes.is_some_and(|bytes| bytes >= enough)
    }

    /// A frame to its successor; the frame after that is on its way before, so that its statistics are known when its turn
    /// comes.
    pub fn ask_ahead(&mut self, fixed: usize) -> Result<PendingFlow, MotionError> {
        for frame in fixed..fixed + 3 {
            self.bring(frame, [fixed, fixed + 1])?;
        }
        self.ask(fixed, fixed + 1, ResidentStart::Zero)
    }

    /// A flow that the device may not have found when this returns.
    pub fn ask(
        &mut self,
        fixed: usize,
        moving: usize,
        start: ResidentStart<'_>,
    ) -> Result<PendingFlow, MotionError> {
        self.bring(fixed, [fixed, moving])?;
        self.bring(moving, [fixed, moving])?;
        let observer = Nth { steps: &self.steps, nth: self.done };
        let region = Region {
            mask: of_frame(&self.masks, fixed),
            volume_mask: of_frame(&self.volume_masks, fixed),
            weight: of_frame(&self.weights, fixed),
        };
        let pair =
            ImagePair { region, start, ..ImagePair::new(&self.on_device[&fixed], &self.on_device[&moving]) };
        let mut pending = self.method.estimate(pair, &observer)?;
        if self.plan.extras.warped {
            let images = [fixed, moving].map(|frame| &self.on_device[&frame]);
            pending.warp(images, self.method.interpolation())?;
        }
        self.done += 1;
        Ok(pending)
    }

    /// The reference to a frame, from the composed flow between them.
    pub fn deliver_reference<E: From<MotionError>>(
        &mut self,
        moving: usize,
        start: &ResidentFlow,
        deliver: Deliver<'_, E>,
    ) -> Result<(), E> {
        let pending = self.ask(self.plan.reference, moving, ResidentStart::Flow(start))?;
        deliver(self.finish(pending, Role::Reference, [self.plan.reference, moving])?)
    }

    pub fn finish(
        &self,
        pending: PendingFlow,
        role: Role,
        [fixed, moving]: [usize; 2],
    ) -> Result<SequenceField, MotionError> {
        Ok(SequenceField { role, fixed, moving, output: pending.finish(self.plan.extras)? })
    }

    /// The motion so far, followed by one more flow.
    pub fn extend(
        &self,
        so_far: Option<&ResidentFlow>,
        next: &ResidentFlow,
        outside: Outside,
    ) -> Result<ResidentFlow, MotionError> {
        match so_far {
            None => next.duplicate(&self.device),
            Some(so_far) => compose_resident(&self.device, so_far, next, outside),
        }
    }

    /// Where it is known, within the first frame's muscle or mask.
    pub fn mean_length_vox(&self, flow: &ResidentFlow) -> Result<Option<f64>, MotionError> {
        let mask = of_frame(&self.volume_masks, 0).or(of_frame(&self.masks, 0));
        let length = FlowLength { flow: &flow.components_vox, weight: mask.map(|mask| &mask.weight) };
        let (sum, count) = length.run(&self.device)?.get(&self.device)?;
        Ok((count > 0.0).then(|| sum / count))
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
        self.on_device.insert(frame, Frame::upload(&self.device, image)?);
        Ok(())
    }
}

/// How many fields are estimated, handed out or not.
fn step_count(count: usize, plan: SequencePlan) -> usize {
    match plan.mode {
        SequenceMode::Consecutive => count - 1,
        SequenceMode::Reference => 2 * (count - 1),
        SequenceMode::Both => 2 * (count - 1) + plan.reference + 1,
    }
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
