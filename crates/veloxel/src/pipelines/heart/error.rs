//! Why outlines cannot be followed.

use veloxel_core::{Diagnosis, ErrorKind, Hint, Structure};

/// A cine, outlines or a choice that tracking cannot start from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeartError {
    /// Too few frames.
    #[error("a cine has at least two frames, got {frames}")]
    TooFewFrames {
        /// Frames given.
        frames: usize,
    },
    /// No frame to start from was named, and none can be inferred.
    #[error("frame 0 has no outline, frames {} have: say where to start", list(there))]
    NoStartFrame {
        /// The frames with outlines.
        there: Vec<usize>,
    },
    /// A frame to start from without outlines.
    #[error("frame {frame} has no outline to start from; frames {} have", list(there))]
    EmptyStartFrame {
        /// The frame asked for.
        frame: usize,
        /// The frames with outlines.
        there: Vec<usize>,
    },
    /// Two outlines of one structure in one place.
    #[error(
        "two outlines of {structure} on frame {frame} of slice {slice}: give one, or another frame for one of them"
    )]
    TwoOutlines {
        /// The structure.
        structure: Structure,
        /// The frame.
        frame: usize,
        /// The slice.
        slice: usize,
    },
    /// A region that is too small, or leaves the image.
    #[error("the region {what}: expected at least 16 × 16 pixels within {} × {}", size[0], size[1])]
    Region {
        /// The region, in pixels, or the name of its mask.
        what: String,
        /// Pixels of a slice along x and y.
        size: [usize; 2],
    },
    /// A mask of a region on another grid than the cine's.
    #[error("the region's mask {name} has {} × {} pixels, expected the cine's {} × {}", got[0], got[1], expected[0], expected[1])]
    RegionMask {
        /// What the mask is called.
        name: String,
        /// Its pixels along x and y.
        got: [usize; 2],
        /// Pixels of the cine along x and y.
        expected: [usize; 2],
    },
    /// One motion of all frames, by a method that finds none.
    #[error("one motion of all frames together is found by finite elements (fe), not by {method}")]
    NotWhole {
        /// The method.
        method: &'static str,
    },
    /// A method that takes more than two frames.
    #[error("{method} takes windows of frames: tracking takes a method of pairs")]
    Windows {
        /// The method.
        method: &'static str,
    },
    /// No method.
    #[error("no method was given to follow outlines with")]
    NoMethod,
}

fn list(frames: &[usize]) -> String {
    frames.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

impl Diagnosis for HeartError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotWhole { .. } | Self::Windows { .. } | Self::NoMethod => ErrorKind::Parameter,
            _ => ErrorKind::Input,
        }
    }

    fn hint(&self) -> Option<Hint> {
        match self {
            Self::TooFewFrames { .. } => None,
            Self::NoStartFrame { .. } | Self::EmptyStartFrame { .. } | Self::TwoOutlines { .. } => {
                Some(Hint::StartFrame)
            }
            Self::Region { .. } | Self::RegionMask { .. } => Some(Hint::Region),
            Self::NotWhole { .. } => Some(Hint::Estimate),
            Self::Windows { .. } | Self::NoMethod => Some(Hint::Method),
        }
    }
}
