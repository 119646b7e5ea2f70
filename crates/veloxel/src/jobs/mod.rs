//! What a face calls: load → prepare → run → measure → report, each as one function.
//!
//! Everything that can be refused early is: output folders and extensions are checked before anything is computed.

mod compare;
mod demo;
mod dense_options;
mod distances;
mod dry_run;
mod engine;
mod engine_frames;
mod engine_job;
mod engine_outputs;
mod evaluate;
mod features;
mod film;
mod flow;
mod flow_inputs;
mod flow_job;
mod frame_selection;
mod identity;
mod job_error;
mod job_run;
mod mask_file;
mod method_options;
mod options;
mod output_plan;
mod pictures;
mod points;
mod published;
mod segment;
mod segment_colours;
mod segment_solve;
mod sequence;
mod sequence_maps;
mod sequence_truth;
mod start;
mod stereo;
mod track;
mod track_points;
mod warp;

use crate::pipelines::account::{Account, Stages};
pub use crate::pipelines::memory_plan::{FlowPlan, MemoryPart};
use crate::pipelines::prepare::full_scale::full_scale;
pub use crate::pipelines::prepare::grids::{OutsideFill, Sampling, warp_image};
pub use crate::pipelines::{Directions, Refinement, TimeEstimate};
pub use crate::session::{DeviceListing, DeviceOptions, devices};
use crate::{Result, VeloxelError};
pub use compare::{CompareJob, compare};
pub use demo::{DemoJob, demo};
pub use dense_options::DenseOptions;
pub use distances::{DistancesJob, DistancesReport, distances};
pub use dry_run::{DryRun, dry_run};
pub use engine::engine;
pub use engine_job::{EngineJob, EngineRun};
pub use evaluate::{
    AgainstTruth, DisparityScales, EvaluateJob, EvaluateSegmentationJob, SegmentationReport,
    evaluate_contours, evaluate_disparity, evaluate_flow, evaluate_labels, evaluate_segmentation,
};
pub use features::{FeaturesJob, FeaturesRun, features};
pub use flow::{FlowRun, flow};
pub use flow_job::{FlowJob, FlowOutputs, StartFrom};
pub use frame_selection::FrameSelection;
pub use job_error::JobError;
pub use job_run::JobRun;
pub use mask_file::MaskFile;
pub use method_options::MethodOptions;
pub use options::RunOptions;
use output_plan::name;
pub use output_plan::{Holds, OutputPlan};
pub use points::{PointsRun, move_point, warp_points};
pub use segment::{SegmentJob, segment};
pub use sequence::{SequenceJob, sequence};
pub use stereo::{StereoJob, StereoRun, stereo};
pub use track::{Cavities, ContourInput, MotionSpace, Placement, RegionChoice, TrackJob, track};
pub use track_points::{EndedTracks, TrackPointsJob, TrackPointsReport, TrackStart, track_points};
pub use warp::{LabelChoice, WarpJob, warp_flow, warp_labels};
