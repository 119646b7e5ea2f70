//! What is wrong with the streams that a job reads.

use std::path::PathBuf;
use veloxel_core::{Diagnosis, ErrorKind};

/// Streams that cannot be read together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// Both streams of a pair of cameras on standard input.
    #[error("both streams come from standard input: give the right one as a file or a folder")]
    OneInput,
    /// Streams of a pair of cameras with different numbers of frames.
    #[error(
        "{} ends after {frames} frames, but {} goes on: left and right must be as long",
        shorter.display(),
        longer.display()
    )]
    Lengths {
        /// The stream that ends.
        shorter: PathBuf,
        /// The stream that goes on.
        longer: PathBuf,
        /// Frames of the shorter one.
        frames: usize,
    },
    /// The thread that reads ended without an answer.
    #[error("reading the frames stopped without a word: this is a fault of the reader")]
    Reader,
}

impl Diagnosis for StreamError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::OneInput | Self::Lengths { .. } => ErrorKind::Input,
            Self::Reader => ErrorKind::Internal,
        }
    }
}
