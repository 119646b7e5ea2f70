//! Frames over time on one grid.

use crate::error::CoreError;
use crate::grid::Grid;
use crate::volume::Volume;
use std::ops::RangeInclusive;

/// Volumes (or images) of one grid in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    frames: Vec<Volume<f32>>,
    frame_interval_ms: Option<f64>,
}

impl Sequence {
    /// Times between frames that a sequence can have, ms: from a picosecond to 30 years. Rates are finite over all of them.
    pub const INTERVALS_MS: RangeInclusive<f64> = 1e-9..=1e12;

    /// Puts frames in order.
    ///
    /// # Errors
    /// [`CoreError::EmptySequence`] without frames; [`CoreError::GridMismatch`] if a frame lies elsewhere than
    /// the first; [`CoreError::FrameInterval`] for a time between frames outside of [`Self::INTERVALS_MS`].
    pub fn new(frames: Vec<Volume<f32>>, frame_interval_ms: Option<f64>) -> Result<Self, CoreError> {
        if let Some(interval_ms) = frame_interval_ms.filter(|ms| !Self::INTERVALS_MS.contains(ms)) {
            return Err(CoreError::FrameInterval { interval_ms });
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_between_frames_are_possible_ones() {
        let frames = || vec![Volume::from_fn(Grid::image(2, 2).unwrap(), |_| 0.0); 2];
        for interval_ms in [1e-320, 0.0, -40.0, f64::NAN, f64::INFINITY, 1e300] {
            let refused = Sequence::new(frames(), Some(interval_ms));
            assert!(matches!(refused, Err(CoreError::FrameInterval { .. })), "{interval_ms:e}");
        }
        for interval_ms in [None, Some(1e-9), Some(40.0), Some(1e12)] {
            assert_eq!(Sequence::new(frames(), interval_ms).unwrap().frame_interval_ms(), interval_ms);
        }
    }
}
