//! What an output is to its job.

use serde::{Serialize, Serializer};
use std::fmt;

/// What an output is to its job; reports and summaries show its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputRole {
    /// Points in space.
    Cloud,
    /// Confidence of every vector or disparity.
    Confidence,
    /// The covariance of every vector's error.
    Covariance,
    /// Depth of every pixel.
    Depth,
    /// A disparity.
    Disparity,
    /// Distances of a graph.
    Distances,
    /// The expected error of every vector.
    ExpectedError,
    /// The fields of a stream, a folder.
    Fields,
    /// A displacement field.
    Flow,
    /// All that a job makes, a folder.
    Folder,
    /// The field back, from the moving image to the fixed one.
    InverseFlow,
    /// The part of every triangle.
    Labels,
    /// How much every triangle belongs to every part.
    Membership,
    /// Where a voxel is hidden.
    Occlusion,
    /// Closed outlines of structures.
    Outlines,
    /// What a filter makes of its input.
    Output,
    /// Tracks drawn over their frames.
    Overlay,
    /// A page for people.
    Page,
    /// A mesh whose parts have colours.
    PaintedParts,
    /// Every part as a mesh of its own, a folder.
    Parts,
    /// A field in colours.
    Picture,
    /// The probability that the error of a vector is below a threshold.
    Probability,
    /// The left picture of a pair, rectified.
    RectifiedLeft,
    /// The right one.
    RectifiedRight,
    /// The JSON of a run.
    Report,
    /// Frames over time.
    Sequence,
    /// Points followed over frames.
    Tracks,
    /// The linear map that a run began from.
    Transform,
    /// A film.
    Video,
    /// The warped images of a sequence.
    Warped,
    /// The moving image as seen from the fixed one.
    WarpedImage,
}

impl OutputRole {
    /// The role in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Cloud => "point cloud",
            Self::Confidence => "confidence",
            Self::Covariance => "covariance",
            Self::Depth => "depth",
            Self::Disparity => "disparity",
            Self::Distances => "distances",
            Self::ExpectedError => "expected error",
            Self::Fields => "fields",
            Self::Flow => "flow",
            Self::Folder => "folder",
            Self::InverseFlow => "inverse flow",
            Self::Labels => "labels",
            Self::Membership => "membership",
            Self::Occlusion => "occlusion",
            Self::Outlines => "outlines",
            Self::Output => "output",
            Self::Overlay => "overlay",
            Self::Page => "page",
            Self::PaintedParts => "parts in colours",
            Self::Parts => "folder of parts",
            Self::Picture => "picture",
            Self::Probability => "probability",
            Self::RectifiedLeft => "rectified left",
            Self::RectifiedRight => "rectified right",
            Self::Report => "report",
            Self::Sequence => "sequence",
            Self::Tracks => "tracks",
            Self::Transform => "transform",
            Self::Video => "video",
            Self::Warped => "warped",
            Self::WarpedImage => "warped image",
        }
    }
}

impl fmt::Display for OutputRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl Serialize for OutputRole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}
