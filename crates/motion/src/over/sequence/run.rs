//! The frames that a sequence has on its device, and the flows between them.

use super::regions::FrameRegions;
use super::{Deliver, SequenceField, SequenceFrames, SequenceMode, SequencePlan, SequenceRole};
use crate::error::{MotionError, Result};
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::PendingFlow;
use crate::method::resident::{DataRegion, ResidentFlow, ResidentMask, ResidentStart};
use crate::steps::composition::compose_resident;
use crate::steps::frame::Frame;
use std::collections::BTreeMap;
use veloxel_core::Portion;
use veloxel_gpu::Device;
use veloxel_kernels::variational::flow_composition::OutsideVector;

/// The method, and the frames and masks that it has on its device.
pub(super) struct Run<'a> {
    method: &'a mut dyn PairMethod,
    pub device: Device,
    pub frames: SequenceFrames<'a>,
    pub plan: SequencePlan,
    pub regions: FrameRegions,
    on_device: BTreeMap<usize, Frame>,
    done: usize,
}

/// Volumes of memory from which on three pairs' results fit beside a run, twice over.
const VOLUMES_OF_THREE: usize = 128;
/// Frames kept on the device: two pairs, or a pair, the next frame and the reference.
const FRAMES_ON_DEVICE: usize = 4;

impl<'a> Run<'a> {
    pub fn new(
        method: &'a mut dyn PairMethod,
        frames: SequenceFrames<'a>,
        plan: SequencePlan,
    ) -> Result<Self> {
        let device = method.device().clone();
        let regions = FrameRegions::upload(&device, &frames)?;
        Ok(Self { method, device, frames, plan, regions, on_device: BTreeMap::new(), done: 0 })
    }

    /// Whether three pairs' results leave more than enough memory for a run.
    pub(crate) fn has_room_for_three(&self) -> bool {
        let voxels = self.frames.frames.first().map_or(0, |frame| frame.grid().len());
        let enough = (VOLUMES_OF_THREE * voxels * size_of::<f32>()) as u64;
        self.device.info().memory_bytes.is_some_and(|bytes| bytes >= enough)
    }

    /// A frame to its successor. The frames of the pair after it, if that is known, are on their way before, so that their
    /// statistics are known when its turn comes.
    pub(super) fn ask_nth(&mut self, fixed: usize, next: Option<usize>) -> Result<PendingFlow> {
        let wanted = [Some(fixed), next].into_iter().flatten().flat_map(|first| [first, first + 1]);
        let wanted: Vec<usize> = wanted.collect();
        wanted.iter().try_for_each(|&frame| self.bring(frame, &wanted))?;
        self.done = fixed;
        self.ask(fixed, fixed + 1, ResidentStart::Zero)
    }

    /// A flow that the device may not have found when this returns.
    pub fn ask(&mut self, fixed: usize, moving: usize, start: ResidentStart<'_>) -> Result<PendingFlow> {
        self.bring(fixed, &[fixed, moving])?;
        self.bring(moving, &[fixed, moving])?;
        let all = step_count(self.frames.frames.len(), self.plan) as f64;
        let portion = Portion { before: self.done as f64, own: 1.0, all };
        let images = [fixed, moving].map(|frame| &self.on_device[&frame]);
        let known = self.frames.mask_beside(fixed, [moving]);
        let known = known.map(|mask| ResidentMask::upload(&self.device, &mask)).transpose()?;
        let own = self.regions.of(fixed);
        let region = DataRegion { mask: known.as_ref().or(own.mask), ..own };
        let pair = ImagePair { region, start, ..ImagePair::new(images[0], images[1]) };
        let mut pending = self.device.control().portion(portion, || self.method.estimate(pair))?;
        if self.plan.extras.warped {
            pending.warp(images, self.method.interpolation())?;
        }
        self.done += 1;
        Ok(pending)
    }

    /// The reference to a frame, from the composed flow between them.
    pub(crate) fn deliver_reference<E: From<MotionError>>(
        &mut self,
        moving: usize,
        start: &ResidentFlow,
        deliver: Deliver<'_, E>,
    ) -> Result<(), E> {
        let pending = self.ask(self.plan.reference, moving, ResidentStart::Flow(start))?;
        deliver(self.finish(pending, SequenceRole::Reference, [self.plan.reference, moving])?)
    }

    pub fn finish(
        &self,
        pending: PendingFlow,
        role: SequenceRole,
        [fixed, moving]: [usize; 2],
    ) -> Result<SequenceField> {
        Ok(SequenceField { role, fixed, moving, output: pending.finish(self.plan.extras)? })
    }

    /// The motion so far, followed by one more flow.
    pub fn extend(
        &self,
        so_far: Option<&ResidentFlow>,
        next: &ResidentFlow,
        outside: OutsideVector,
    ) -> Result<ResidentFlow> {
        match so_far {
            None => next.duplicate(&self.device),
            Some(so_far) => compose_resident(&self.device, so_far, next, outside),
        }
    }

    /// Brings a frame, if there is one, to the device, in the place of the one farthest from those that are `needed`.
    fn bring(&mut self, frame: usize, needed: &[usize]) -> Result<()> {
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
