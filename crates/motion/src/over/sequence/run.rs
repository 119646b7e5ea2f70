//! The frames that a sequence has on its device, and the flows between them.

use super::brought::BroughtFrames;
use super::course::{Asked, Course};
use super::regions::FrameRegions;
use super::{SequenceField, SequenceFrames, SequencePlan};
use crate::error::Result;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::PendingFlow;
use crate::method::resident::{DataRegion, ResidentMask, ResidentStart};
use crate::steps::frame::Frame;
use veloxel_core::Portion;
use veloxel_gpu::Device;

/// The method, and the frames and masks that it has on its device.
pub(super) struct Run<'a> {
    method: &'a mut dyn PairMethod,
    pub device: Device,
    pub frames: SequenceFrames<'a>,
    pub plan: SequencePlan,
    pub regions: FrameRegions,
    brought: BroughtFrames,
    /// Pairs in all, and those that were asked for.
    count: usize,
    done: usize,
}

/// Volumes of memory from which on three pairs' results fit beside a run, twice over.
const VOLUMES_OF_THREE: usize = 128;

impl<'a> Run<'a> {
    pub fn new(
        method: &'a mut dyn PairMethod,
        frames: SequenceFrames<'a>,
        plan: SequencePlan,
    ) -> Result<Self> {
        let device = method.device().clone();
        let regions = FrameRegions::upload(&device, &frames)?;
        let count = Course::new(plan, frames.frames.len()).len();
        Ok(Self { method, device, frames, plan, regions, brought: BroughtFrames::default(), count, done: 0 })
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
        self.ask([fixed, fixed + 1], ResidentStart::Zero)
    }

    /// A flow that the device may not have found when this returns.
    pub fn ask(&mut self, frames: [usize; 2], start: ResidentStart<'_>) -> Result<PendingFlow> {
        frames.iter().try_for_each(|&frame| self.bring(frame, &frames))?;
        let portion = Portion { before: self.done as f64, own: 1.0, all: self.count as f64 };
        let ([fixed, moving], images) = (frames, self.brought.pair(frames));
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

    pub fn finish(&self, Asked { pending, role, frames: [fixed, moving] }: Asked) -> Result<SequenceField> {
        Ok(SequenceField { role, fixed, moving, output: pending.finish(self.plan.extras)? })
    }

    /// Brings a frame, if there is one, to the device.
    fn bring(&mut self, frame: usize, needed: &[usize]) -> Result<()> {
        let Some(image) = self.frames.frames.get(frame) else { return Ok(()) };
        self.brought.bring(frame, needed, || Frame::upload(&self.device, image))
    }
}
