//! What keeps points from being followed.

use veloxel_core::{Diagnosis, ErrorKind};

/// Points that cannot be followed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// A stream of one frame, or of none.
    #[error("points are followed from frame to frame: two frames are needed, got {got}")]
    FewFrames {
        /// Frames that there were.
        got: usize,
    },
}

impl Diagnosis for PointsError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}
