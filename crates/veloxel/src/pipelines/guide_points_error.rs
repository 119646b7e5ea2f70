//! What keeps an outline from being laid through clicks.

use veloxel_core::{Diagnosis, ErrorKind, Hint, Structure};
use veloxel_motion::MotionError;

/// Clicks of an outline that none can be laid through.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{structure} on frame {frame} of slice {slice}: {source}")]
pub struct GuidePointsError {
    /// What the outline encloses.
    pub structure: Structure,
    /// Its frame.
    pub frame: usize,
    /// Its slice.
    pub slice: usize,
    /// Why.
    pub source: MotionError,
}

impl Diagnosis for GuidePointsError {
    fn kind(&self) -> ErrorKind {
        self.source.kind()
    }
    fn hint(&self) -> Option<Hint> {
        self.source.hint()
    }
}
