//! Pipelines: values in, values out. Everything that a command does between decoded files and encoded ones is here, callable in
//! memory with a [`Session`](crate::Session) whose observer can follow and stop it.

pub(crate) mod account;
pub(crate) mod at_once;
pub(crate) mod boxes;
mod cameras;
mod compare;
mod demo;
pub(crate) mod dense;
pub mod distances;
mod dry_run;
pub(crate) mod encode;
pub mod engine;
mod evaluate;
mod features;
mod field_time;
pub mod filter;
mod guide_points;
mod guide_points_error;
pub mod heart;
mod in_parts;
mod maps;
pub(crate) mod memory_plan;
mod pair;
mod phantom;
mod phase_method;
mod point_tracks;
mod points;
mod points_error;
pub(crate) mod prepare;
mod resident;
pub mod segment;
mod sequence;
mod stereo;
pub(crate) mod view_order;
mod warp;
mod window;

pub use account::{Account, Stages};
pub use boxes::{BoxSink, BoxStore, BoxesOutput, BoxesPlan, FlowBoxes, PartsKey, SumStore};
pub use cameras::{
    CloudRequest, RectifiedPicture, RectifyRequest, RectifyResult, depth, point_cloud, rectify,
};
pub use compare::{CompareRequest, CompareResult, ComparedMethod, compare};
pub use demo::{DemoPhantom, demo};
pub use dense::{
    DenseError, Directions, Image, MethodChoice, PairNames, PairResult, PairStart, PairWanted, PreparedPair,
    Refinement, StartKind, Wanted,
};
pub use dry_run::{DryRunRequest, Forecast, Residence, TimeEstimate, dry_run};
pub use evaluate::{
    AgainstTruth, CertaintyEvaluation, EvaluateLabelPartsRequest, EvaluateNames, EvaluatePartsRequest,
    EvaluateRequest, EvaluateSegmentationRequest, FlowClaims, FlowEvaluation, MaskBoxes, SegmentationReport,
    TrueSegmentation, WITHIN_VOX, evaluate_contours, evaluate_disparity, evaluate_flow,
    evaluate_flow_in_parts, evaluate_labels, evaluate_labels_in_parts, evaluate_labels_room, evaluate_room,
    evaluate_segmentation, labels_in_boxes,
};
pub use features::{FeaturesRequest, FeaturesResult, features};
pub use field_time::{FieldWork, field_time};
pub use guide_points::{GuidePointFit, GuidePointsRequest, guide_points};
pub use guide_points_error::GuidePointsError;
pub use in_parts::{
    BOX_VOX, FieldOutput, PartsOutput, PartsRequest, PartsResult, Preparation, memory_plan_in_parts,
    pair_in_parts, tiles_in_parts,
};
pub use maps::{
    ComposePartsRequest, ComposeRequest, FoundMap, Map, MapBoxes, MapResult, MapsError, compose,
    compose_in_parts, invert, invert_in_parts, maps_plan, maps_room,
};
pub use memory_plan::{FlowPlan, FlowSketch, MemoryPart, memory_plan};
pub use pair::{PairRequest, pair};
pub use phantom::{
    PHANTOMS, PhantomContent, PhantomPart, PhantomRequest, PhantomSettings, TextureKind, phantom,
};
pub use point_tracks::{
    EndedTracks, PointTracks, TrackingParameters, TracksBegin, TracksRequest, TracksResult, track_points,
};
pub use points::{MovedPoints, move_point, move_points};
pub use points_error::PointsError;
pub use prepare::grids::OutsideFill;
pub use resident::{
    ResidentDisparity, ResidentEngine, ResidentFeaturesResult, ResidentFrames, ResidentImage, ResidentPair,
    ResidentRequest, ResidentSequence, ResidentSequenceField, ResidentSequenceRequest, ResidentStereoRequest,
    ResidentStreamFrame, ResidentWarp, ResidentWarpRequest, pair_on_device, resident_features, resident_pair,
    resident_stereo, warp_resident_image,
};
pub use sequence::{
    FieldLabel, FoundField, FrameNames, SequenceOutput, SequenceRequest, SequenceResult, TrueField, sequence,
};
pub use stereo::{StereoRequest, StereoResult, stereo, undo_disparity};
pub use veloxel_motion::{
    DenseDraft, FlowPart, FoundTile, ImageBoxes, KeptTile, TileAccount, TilePlan, TileStore,
};
pub use warp::{
    DeformationResult, FinerImage, Interpolation, LabelChoice, WarpImageRequest, WarpLabelsRequest,
    WarpNames, WarpPartsRequest, WarpResult, jacobian, jacobian_and_folding, label_ends, strain, warp_image,
    warp_image_in_parts, warp_labels, warp_labels_in_parts, warp_plan, warp_room,
};
pub use window::{WindowRequest, window};
