//! Frames over time on one grid.

use crate::error::CoreError;
use crate::grid::Grid;
use crate::volume::Volume;

/// Volumes (or images) of one grid in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    frames: Vec<Volume<f32>>,
    frame_interval_ms: Option<f64>,
}

impl Sequence {
    /// Puts frames in order.
    ///
    /// # Errors
    /// [`CoreError::EmptySequence`] without frames; [`CoreError::GridMismatch`] if a frame lies elsewhere than
    /// the first.
    pub fn new(frames: Vec<Volume<f32>>, frame_interval_ms: Option<f64>) -> Result<Self, CoreError> {
        let first = frames.first().ok_or(CoreError::EmptySequence)?.grid();
        for (i, frame) in frames.iter().enumerate().skip(1) {
            first.require_same(frame.grid(), &format!("frames 0 and {i} of the sequence"))?;
        }
        Ok(Self { frames, frame_interval_ms })
    }
    /// The grid of every frame.
    pub fn grid(&self) -> &Grid {
        self.frames[0].grid()
    }
    /// The frames in order of time.
    pub fn frames(&self) -> &[Volume<f32>] {
        &self.frames
    }
    /// The frames, which leave the sequence.
    pub fn into_frames(self) -> Vec<Volume<f32>> {
        self.frames
    }
    /// Milliseconds between frames, where the file says so.
    pub fn frame_interval_ms(&self) -> Option<f64> {
        self.frame_interval_ms
    }
}
