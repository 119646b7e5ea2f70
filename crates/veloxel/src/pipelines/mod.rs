//! Pipelines: values in, values out. Everything that a command does between decoded files and encoded ones is here, callable in
//! memory with a [`Session`](crate::Session) whose observer can follow and stop it.

pub(crate) mod account;
pub mod distances;
pub mod engine;
mod evaluate;
mod features;
pub mod heart;
pub(crate) mod memory_plan;
mod phase_method;
mod point_tracks;
mod points;
pub(crate) mod prepare;
pub mod segment;
mod stereo;
pub(crate) mod view_order;
mod warp;

pub use account::{Account, Stages};
pub use evaluate::{
    AgainstTruth, EvaluateNames, EvaluateRequest, EvaluateSegmentationRequest, SegmentationReport,
    TrueSegmentation, evaluate_contours, evaluate_disparity, evaluate_flow, evaluate_labels,
    evaluate_segmentation,
};
pub use features::{FeaturesRequest, FeaturesResult, features};
pub use point_tracks::{
    EndedTracks, PointTracks, PointsError, TracksBegin, TracksRequest, TracksResult, track_points,
};
pub use points::{MovedPoints, move_point, move_points};
pub use stereo::{StereoRequest, StereoResult, stereo, undo_disparity};
pub use warp::{
    LabelChoice, WarpImageRequest, WarpLabelsRequest, WarpNames, WarpResult, warp_image, warp_labels,
};
