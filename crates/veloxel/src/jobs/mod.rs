//! What a face calls: load → prepare → run → measure → report, each as one function.
//!
//! Everything that can be refused early is: output folders and extensions are checked before anything is computed.

mod compare;
mod demo;
mod dense_options;
mod distances;
mod dry_run;
mod engine;
mod evaluate;
mod features;
mod film;
mod flow;
mod flow_inputs;
mod flow_job;
mod frame_selection;
mod identity;
mod input_error;
mod job_error;
mod job_run;
mod mask_file;
mod method_options;
mod output_plan;
mod phase_options;
mod pictures;
mod published;
mod read_ahead;
mod role;
mod segment;
mod sequence;
mod sequence_maps;
mod sequence_truth;
mod stereo;
mod track;
mod track_points;
mod warp;

use crate::pipelines::account::{Account, Stages};
pub use crate::pipelines::memory_plan::{FlowPlan, MemoryPart};
pub use crate::pipelines::prepare::grids::OutsideFill;
pub use crate::pipelines::{
    AgainstTruth, Directions, EndedTracks, LabelChoice, Refinement, SegmentationReport, TimeEstimate,
};
pub use crate::session::{DeviceListing, DeviceOptions, devices};
use crate::{Result, VeloxelError};
pub use compare::{CompareJob, compare};
pub use demo::{DemoJob, demo};
pub use dense_options::DenseOptions;
pub use distances::{DistancesJob, DistancesReport, distances};
pub use dry_run::{DryRun, dry_run};
pub use engine::{EngineJob, EngineRun, engine};
pub use evaluate::{
    DisparityScales, EvaluateJob, EvaluateSegmentationJob, evaluate_contours, evaluate_disparity,
    evaluate_flow, evaluate_labels, evaluate_segmentation,
};
pub use features::{FeaturesJob, FeaturesRun, features};
pub use flow::{FlowRun, flow};
pub use flow_job::{FlowJob, FlowOutputs, StartFrom};
pub use frame_selection::FrameSelection;
pub use input_error::InputError;
pub use job_error::JobError;
pub use job_run::JobRun;
pub use mask_file::MaskFile;
pub use method_options::MethodOptions;
use output_plan::name;
pub use output_plan::{Holds, OutputPlan};
pub use phase_options::PhaseOptions;
pub use role::Role;
pub use segment::{SegmentJob, SegmentOutputs, segment};
pub use sequence::{SequenceJob, sequence};
pub use stereo::{StereoJob, StereoRun, stereo};
pub use track::{ContourInput, FilmChoice, RegionInput, TrackJob, track};
pub use track_points::{TrackPointsJob, TrackPointsReport, TrackStart, track_points};
pub use warp::{PointsRun, WarpJob, warp_image, warp_labels, warp_points};
