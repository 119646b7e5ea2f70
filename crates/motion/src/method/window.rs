//! Methods that estimate the flow of the centre of a few consecutive frames.

use crate::error::{MotionError, Result};
use crate::method::dense::DenseMethod;
use crate::method::local_window::LocalWindow;
use crate::method::pending_flow::{DenseFlow, FlowExtras, PendingFlow};
use crate::steps::frame::Frame;
use veloxel_core::{Mask, SolveStatus, Volume, WarningKind};

/// A method that estimates the flow of the centre of a few consecutive frames.
pub trait WindowMethod: DenseMethod {
    /// How many frames it takes.
    fn window(&self) -> FrameWindow;

    /// Asks the device for the flow of the centre frame towards the next one.
    ///
    /// # Errors
    /// As [`PairMethod::estimate`](crate::PairMethod::estimate); [`MotionError::Sequence`] for another number of frames.
    fn estimate(&mut self, frames: &[&Frame]) -> Result<PendingFlow>;

    /// The method in parts of pictures, if its vectors depend on their surroundings alone.
    fn local(&mut self) -> Option<&mut dyn LocalWindow> {
        None
    }

    /// Sends the frames of a window to the device and fetches the flow of the centre frame, its confidence and its
    /// diagnostics; outside of the mask, which lies on that frame's grid, nothing is known.
    ///
    /// # Errors
    /// As [`Self::estimate`].
    fn run(&mut self, frames: &[&Volume<f32>], mask: Option<&Mask>, extras: FlowExtras) -> Result<DenseFlow> {
        let device = self.device().clone();
        let centre = self.window().centre;
        device.scope(|| {
            let resident = |(t, frame): (usize, &&Volume<f32>)| {
                let filled = match mask.filter(|_| t == centre) {
                    Some(mask) => crate::steps::masking::without_unknown(frame, mask)?,
                    None => None,
                };
                Frame::upload(&device, filled.as_ref().unwrap_or(frame))
            };
            let frames = frames.iter().enumerate().map(resident).collect::<Result<Vec<_>, _>>()?;
            let mut pending = self.estimate(&frames.iter().collect::<Vec<_>>())?;
            if let Some(next) = frames.get(centre + 1).filter(|_| extras.warped) {
                pending.warp([&frames[centre], next], self.interpolation())?;
            }
            known_within(pending.finish(extras)?, mask)
        })
    }
}

/// The flow of a window within a mask; warns where no pixel has a velocity.
pub(crate) fn known_within(mut found: DenseFlow, mask: Option<&Mask>) -> Result<DenseFlow> {
    if let Some(mask) = mask {
        found = found.within(mask)?;
    }
    if found.flow.component_vox(0).iter().all(|v| v.is_nan()) {
        let text = "no pixel has a velocity: the frames may lack texture";
        found.statistics.warnings.push(WarningKind::Content, text);
        found.statistics.status = SolveStatus::NoContent;
    }
    Ok(found)
}

/// The frames that a [`WindowMethod`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameWindow {
    /// How many.
    pub frames: usize,
    /// The frame whose flow is found, towards the next one.
    pub centre: usize,
}

impl FrameWindow {
    /// Fails for another number of frames.
    ///
    /// # Errors
    /// [`MotionError::Sequence`].
    pub fn require(&self, got: usize) -> Result<()> {
        let reason = || format!("{} frames are needed, {got} were given", self.frames);
        if got == self.frames { Ok(()) } else { Err(MotionError::Sequence { reason: reason() }) }
    }
}
