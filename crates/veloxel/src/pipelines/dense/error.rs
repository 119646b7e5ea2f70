//! What keeps a pipeline of dense flow from running.

use veloxel_core::{Diagnosis, ErrorKind, Hint};
use veloxel_motion::THRESHOLDS_VOX;
use veloxel_report::number::size;

/// A request for dense flow that cannot be met.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DenseError {
    /// A method that takes another number of images.
    #[error("method {method} takes {takes}, and a {given} was given")]
    Takes {
        /// The method.
        method: &'static str,
        /// What it takes.
        takes: &'static str,
        /// What it was given.
        given: &'static str,
    },
    /// The field back, of a method that does not find it.
    #[error("method {method} does not find the field back: a symmetric one does")]
    NoInverse {
        /// The method.
        method: &'static str,
    },
    /// A linear transform, of a run that begins from something else.
    #[error("a transform is that of a linear start, and {method} begins from {start} here")]
    NoLinearStart {
        /// The method.
        method: &'static str,
        /// What the run begins from.
        start: &'static str,
    },
    /// A linear transform of images in which none was looked for.
    #[error("no linear start was found, so there is no transform: an image has no contrast")]
    NoTransform,
    /// Expected errors, of a method whose confidences were not held against known motion.
    #[error(
        "nothing was measured of what a confidence of method {method} says of the error in {what}: the confidence alone can be had"
    )]
    NoErrorCurves {
        /// The method.
        method: &'static str,
        /// Pictures or volumes.
        what: &'static str,
    },
    /// The probability of errors below a threshold at which none were measured.
    #[error(
        "expected a threshold from {} to {} voxels, where errors were measured, got {got_vox}", THRESHOLDS_VOX[0],
        THRESHOLDS_VOX[THRESHOLDS_VOX.len() - 1]
    )]
    Threshold {
        /// What was given, voxels.
        got_vox: f32,
    },
    /// A budget of memory for a method that does not say what it needs.
    #[error(
        "method {method} does not say what memory it takes, so it cannot be run under a budget of memory"
    )]
    NoFootprint {
        /// The method.
        method: &'static str,
    },
    /// A budget of memory in which a run does not fit.
    #[error("{} of memory are allowed, and {} are needed {place}: allow more, or crop or shrink the images", size(*budget_bytes), size(*needed_bytes))]
    Memory {
        /// Bytes that it needs, even with the smallest tiles.
        needed_bytes: u64,
        /// Bytes that are available.
        budget_bytes: u64,
        /// Where: on the device, or in all.
        place: &'static str,
    },
    /// Something that a run does with images in memory alone.
    #[error(
        "{}and a run that reads its images and writes its field in parts does not {what}: allow more memory, or do without that",
        allowed(*budget_bytes)
    )]
    InParts {
        /// What, after "does not".
        what: String,
        /// Bytes that were allowed.
        budget_bytes: Option<u64>,
    },
    /// Something that a run over a sequence does with all frames in memory alone.
    #[error(
        "the frames do not fit into {} of memory, and a run that takes them pair by pair does not {what}: allow more memory, or do \
         without that",
        size(*budget_bytes)
    )]
    PairByPair {
        /// What, after "does not".
        what: &'static str,
        /// Bytes that were allowed.
        budget_bytes: u64,
    },
    /// A mask of the moving image, where there are more images than two.
    #[error(
        "a mask of the moving image belongs to two images, and {given} was given: leave samples out of frames as NaN"
    )]
    MovingMask {
        /// What was given.
        given: &'static str,
    },
    /// Fields from a reference, of a method that takes a window of frames.
    #[error("method {method} takes a window of frames and gives consecutive fields alone")]
    ConsecutiveAlone {
        /// The method.
        method: &'static str,
    },
    /// A selection that leaves too few frames.
    #[error("the selection leaves {left} of {count} frames: two are needed")]
    FewFrames {
        /// Number of frames that are left.
        left: usize,
        /// Number of all frames.
        count: usize,
    },
    /// A reference beyond the frames.
    #[error("expected a reference frame from {first} to {last}{which}, got {got}")]
    Reference {
        /// The first frame taken.
        first: usize,
        /// The last frame taken.
        last: usize,
        /// More about which ones can be taken.
        which: &'static str,
        /// What was given.
        got: usize,
    },
    /// True fields that are not as many as those of the run.
    #[error("{given} true fields were given, and the run has {count}")]
    TrueFields {
        /// How many were given.
        given: usize,
        /// How many fields there are.
        count: usize,
    },
}

/// What a budget means to images that do not fit.
fn allowed(budget_bytes: Option<u64>) -> String {
    budget_bytes.map_or_else(String::new, |bytes| {
        format!("the images and their field do not fit into {} of memory, ", size(bytes))
    })
}

impl DenseError {
    /// The refusal of what is not done in parts under a budget, bytes.
    pub(crate) fn in_parts(what: &str, budget_bytes: Option<u64>) -> Self {
        Self::InParts { what: what.to_owned(), budget_bytes }
    }
}

impl Diagnosis for DenseError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory { .. } => ErrorKind::Memory,
            Self::Takes { .. }
            | Self::MovingMask { .. }
            | Self::NoInverse { .. }
            | Self::NoLinearStart { .. }
            | Self::NoErrorCurves { .. }
            | Self::Threshold { .. }
            | Self::NoFootprint { .. }
            | Self::InParts { .. }
            | Self::PairByPair { .. }
            | Self::ConsecutiveAlone { .. } => ErrorKind::Parameter,
            Self::NoTransform | Self::FewFrames { .. } | Self::Reference { .. } | Self::TrueFields { .. } => {
                ErrorKind::Input
            }
        }
    }

    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::Takes { .. } | Self::NoInverse { .. } | Self::NoErrorCurves { .. } => Hint::Method,
            Self::NoFootprint { .. }
            | Self::Memory { .. }
            | Self::InParts { .. }
            | Self::PairByPair { .. } => Hint::MaxMemory,
            Self::ConsecutiveAlone { .. } => Hint::Sequence,
            Self::NoLinearStart { .. } => Hint::LinearStart,
            Self::NoTransform | Self::Threshold { .. } => return None,
            Self::MovingMask { .. } => Hint::Mask,
            Self::FewFrames { .. } => Hint::Frames,
            Self::Reference { .. } => Hint::Reference,
            Self::TrueFields { .. } => Hint::Truth,
        })
    }
}
