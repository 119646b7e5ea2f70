//! Where and how much the data of a sequence's frames count, in the memory of a device.

use super::{SequenceFrames, of_frame};
use crate::error::Result;
use crate::method::resident::{DataRegion, ResidentMask};
use veloxel_core::Mask;
use veloxel_gpu::Device;

/// The masks and weight images of all frames.
pub(crate) struct FrameRegions {
    masks: Vec<ResidentMask>,
    volume_masks: Vec<ResidentMask>,
    weights: Vec<ResidentMask>,
}

impl FrameRegions {
    /// Copies them to the device.
    pub fn upload(device: &Device, frames: &SequenceFrames<'_>) -> Result<Self> {
        let masks = |masks: &[Mask]| -> Result<_> {
            masks.iter().map(|mask| ResidentMask::upload(device, mask)).collect()
        };
        let weight = |weight| ResidentMask::upload_weight(device, weight);
        Ok(Self {
            masks: masks(frames.masks)?,
            volume_masks: masks(frames.volume_masks)?,
            weights: frames.weights.iter().map(weight).collect::<Result<_, _>>()?,
        })
    }

    /// Masks and weight image of a frame.
    pub fn of(&self, frame: usize) -> DataRegion<'_> {
        DataRegion {
            mask: of_frame(&self.masks, frame),
            volume_mask: of_frame(&self.volume_masks, frame),
            weight: of_frame(&self.weights, frame),
        }
    }
}
