//! What is wrong with files that a job is given together.

use std::path::PathBuf;
use veloxel_core::{Diagnosis, ErrorKind, Hint};

/// Inputs that do not belong together, or not to their output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
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
    /// A film of volumes.
    #[error(
        "a video shows pictures, and these frames are volumes: leave the video out; fields and page are of volumes as well"
    )]
    FilmOfVolumes,
    /// A source that cannot be watched.
    #[error("{source_name}: a folder is watched for frames that come, and this is none")]
    NotWatched {
        /// The source.
        source_name: String,
    },
    /// Frames that would be dropped of a source that waits.
    #[error(
        "{source_name}: frames are dropped where they come by themselves, from standard input, a camera, an address or a folder that \
         is watched, and these are all there: take all of them"
    )]
    NothingToDrop {
        /// The source.
        source_name: String,
    },
    /// The thread that reads ended without an answer.
    #[error("reading the frames stopped without a word: this is a fault of the reader")]
    Reader,
    /// A file of points that would be named as another kind of file.
    #[error(
        "{}: the points of {} are written as they came: give it the same extension",
        output.display(),
        input.display()
    )]
    PointsFormat {
        /// The points.
        input: PathBuf,
        /// Where they would go.
        output: PathBuf,
    },
    /// Outlines whose cine no file describes, so that the size of its pixels is unknown.
    #[error(
        "{}: outlines cannot be measured without their cine: name an image of it, for the spacing of pixels",
        outlines.display()
    )]
    NoCine {
        /// The outlines.
        outlines: PathBuf,
    },
}

impl Diagnosis for InputError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Reader => ErrorKind::Internal,
            _ => ErrorKind::Input,
        }
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::NoCine { .. } => Some(Hint::Cine),
            _ => None,
        }
    }
}
