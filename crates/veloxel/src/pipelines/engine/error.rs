//! What keeps a stream from having results.

use veloxel_core::{Diagnosis, ErrorKind, Hint};
use veloxel_report::number::counted;

/// A stream that is too short.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A stream that ends before it begins.
    #[error("{name}: not a single frame")]
    NoFrames {
        /// The stream.
        name: String,
    },
    /// Fewer frames than flow needs.
    #[error(
        "{name}: {}, but flow needs {needed}: give more, or ask for flow of two or three frames, or for features alone",
        counted(*frames, "frame")
    )]
    FewFrames {
        /// The stream.
        name: String,
        /// Frames that came.
        frames: usize,
        /// Frames that flow is estimated from.
        needed: usize,
    },
}

impl Diagnosis for EngineError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::NoFrames { .. } => None,
            Self::FewFrames { .. } => Some(Hint::Frames),
        }
    }
}
