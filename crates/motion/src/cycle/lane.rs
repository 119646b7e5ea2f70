//! One cine of several that are followed together, in the memory of a device.

use super::CineFrames;
use super::outlined::ResidentOutlined;
use crate::MotionError;
use crate::frame::Frame;
use crate::resident::{Region, ResidentMask};
use crate::sequence::of_frame;
use veloxel_core::Mask;
use veloxel_gpu::Device;

/// The frames of a cine, and where and how much their data count.
pub(super) struct Lane {
    pub frames: Vec<Frame>,
    masks: Vec<ResidentMask>,
    volume_masks: Vec<ResidentMask>,
    weights: Vec<ResidentMask>,
    /// What lies within the outlines of the start frame.
    pub outlined: Option<ResidentOutlined>,
}

impl Lane {
    pub fn upload(device: &Device, cine: &CineFrames<'_>) -> Result<Self, MotionError> {
        let given = &cine.frames;
        let masks = |masks: &[Mask]| -> Result<Vec<ResidentMask>, MotionError> {
            masks.iter().map(|mask| ResidentMask::upload(device, mask)).collect()
        };
        let weight = |weight| ResidentMask::upload_weight(device, weight);
        Ok(Self {
            frames: given
                .frames
                .iter()
                .map(|frame| Frame::upload(device, frame))
                .collect::<Result<_, _>>()?,
            masks: masks(given.masks)?,
            volume_masks: masks(given.volume_masks)?,
            weights: given.weights.iter().map(weight).collect::<Result<_, _>>()?,
            outlined: cine.outlined.map(|outlined| ResidentOutlined::upload(device, outlined)).transpose()?,
        })
    }

    /// Where the data of a frame count.
    pub fn mask(&self, frame: usize) -> Option<&ResidentMask> {
        of_frame(&self.masks, frame)
    }

    /// Where and how much they do.
    pub fn region(&self, frame: usize) -> Region<'_> {
        Region {
            mask: self.mask(frame),
            volume_mask: of_frame(&self.volume_masks, frame),
            weight: of_frame(&self.weights, frame),
        }
    }
}
