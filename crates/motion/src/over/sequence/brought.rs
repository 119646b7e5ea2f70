//! The few frames of a sequence that are on its device: those that are needed now, and those that are nearest to them.

use crate::error::Result;
use crate::steps::frame::Frame;
use std::collections::BTreeMap;

/// Frames kept on the device: two pairs, or a pair, the next frame and the reference.
const FRAMES_ON_DEVICE: usize = 4;

/// Frames on the device, by their number.
#[derive(Debug, Default)]
pub(super) struct BroughtFrames {
    frames: BTreeMap<usize, Frame>,
}

impl BroughtFrames {
    /// Brings a frame to the device, unless it is there, in the place of the one farthest from those that are `needed`.
    pub fn bring(
        &mut self,
        frame: usize,
        needed: &[usize],
        fetch: impl FnOnce() -> Result<Frame>,
    ) -> Result<()> {
        if self.frames.contains_key(&frame) {
            return Ok(());
        }
        if self.frames.len() >= FRAMES_ON_DEVICE {
            let away = |f: &usize| needed.iter().map(|n| n.abs_diff(*f)).min();
            let farthest = self.frames.keys().filter(|f| !needed.contains(f)).copied().max_by_key(away);
            farthest.and_then(|farthest| self.frames.remove(&farthest));
        }
        self.frames.insert(frame, fetch()?);
        Ok(())
    }

    /// A pair of frames that were brought.
    pub fn pair(&self, frames: [usize; 2]) -> [&Frame; 2] {
        frames.map(|frame| &self.frames[&frame])
    }
}
