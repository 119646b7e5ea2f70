//! One cine of several that are followed together, in the memory of a device.

use super::CineFrames;
use super::outlined::ResidentOutlined;
use crate::MotionError;
use crate::frame::Frame;
use crate::sequence::FrameRegions;
use veloxel_gpu::Device;

/// The frames of a cine, and where and how much their data count.
pub(super) struct Lane {
    pub frames: Vec<Frame>,
    pub regions: FrameRegions,
    /// What lies within the outlines of the start frame.
    pub outlined: Option<ResidentOutlined>,
}

impl Lane {
    pub fn upload(device: &Device, cine: &CineFrames<'_>) -> Result<Self, MotionError> {
        let upload = |frame| Frame::upload(device, frame);
        Ok(Self {
            frames: cine.frames.frames.iter().map(upload).collect::<Result<_, _>>()?,
            regions: FrameRegions::upload(device, &cine.frames)?,
            outlined: cine.outlined.map(|outlined| ResidentOutlined::upload(device, outlined)).transpose()?,
        })
    }
}
