//! What keeps a stream from having results.

use veloxel_core::{Diagnosis, ErrorKind, Hint};
use veloxel_report::number::counted;

/// A stream that is too short, or that its method cannot take.
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
        "{name}: {}, but flow needs {needed}: give more{}",
        counted(*frames, "frame"),
        if *needed > 2 { ", or ask for flow of two or three frames, or for features alone" } else { "" }
    )]
    FewFrames {
        /// The stream.
        name: String,
        /// Frames that came.
        frames: usize,
        /// Frames that flow is estimated from.
        needed: usize,
    },
    /// Results that a method of pairs does not have.
    #[error(
        "{method} finds the flow of every frame to the next, and nothing else: a second camera, disparities and features are of phase"
    )]
    FlowAlone {
        /// The method.
        method: &'static str,
    },
    /// A volume for a method of pictures.
    #[error("{method} takes pictures, got a volume of {size}: take another method, such as clg")]
    PicturesAlone {
        /// The method.
        method: &'static str,
        /// Voxels of the volume.
        size: String,
    },
    /// A stream of images on a device that has to be one of images in memory.
    #[error(
        "{why}: bring the frames to the memory of the host, a stream of images on a device takes them as they are"
    )]
    InMemoryAlone {
        /// What cannot be done on the device.
        why: String,
    },
}

impl Diagnosis for EngineError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::NoFrames { .. } | Self::InMemoryAlone { .. } => None,
            Self::FewFrames { needed, .. } => (*needed > 2).then_some(Hint::Frames),
            Self::FlowAlone { .. } | Self::PicturesAlone { .. } => Some(Hint::Method),
        }
    }
}
