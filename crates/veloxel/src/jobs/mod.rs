//! What a face calls: load → prepare → run → measure → report, each as one function.
//!
//! Everything that can be refused early is: output folders and extensions are checked before anything is computed.

mod batch;
mod boxes_dry_run;
mod compare;
mod contours_fit;
mod demo;
mod distances;
mod dry_run;
mod engine;
mod evaluate;
mod features;
mod filter;
mod flow;
#[cfg(feature = "zarr")]
mod flow_in_parts;
mod flow_job;
mod inputs;
mod job_error;
mod job_run;
mod maps;
mod measure;
mod options;
mod outputs;
mod phantom;
mod segment;
mod sequence;
mod stereo;
mod table_info;
mod track;
mod track_points;
mod warp;

use crate::Result;
use crate::pipelines::account::{Account, Stages};
pub use crate::pipelines::memory_plan::{FlowPlan, MemoryPart};
pub use crate::pipelines::prepare::grids::OutsideFill;
pub use crate::pipelines::{
    AgainstTruth, CertaintyEvaluation, Directions, EndedTracks, FlowEvaluation, LabelChoice, Refinement,
    SegmentationReport, TimeEstimate,
};
pub use crate::session::{DeviceListing, DeviceOptions, devices};
pub use batch::{
    BatchDevices, BatchError, BatchFace, BatchJob, BatchPlan, BatchProgress, BatchRun, FailedRows, JobRow,
    JobsSource, Refusal, RowJob, RowState, Shard, bids_records, check_batch, read_jobs,
};
pub use boxes_dry_run::BoxesDryRun;
pub use compare::{CompareJob, compare};
pub use contours_fit::{ContoursFitJob, ContoursFitRun, contours_fit};
pub use demo::{DemoJob, demo};
pub use distances::{DistancesJob, DistancesReport, distances};
pub use dry_run::{DryRun, dry_run, sequence_dry_run};
pub use engine::{EngineDryRun, EngineJob, EngineRun, WatchUntil, engine, engine_dry_run};
pub use evaluate::{
    ClaimFiles, DisparityScales, EvaluateJob, EvaluateSegmentationJob, evaluate_contours, evaluate_disparity,
    evaluate_flow, evaluate_labels, evaluate_segmentation,
};
pub use features::{FeaturesJob, FeaturesRun, features};
pub use filter::{FilterJob, filter};
pub use flow::{FlowRun, flow};
#[cfg(feature = "zarr")]
pub use flow_in_parts::FlowTiles;
pub use flow_job::{FlowJob, FlowOutputs};
pub use inputs::cine_place::{place_of, told_place};
pub use inputs::frame_feed::{FedFrame, FrameFeed};
pub use inputs::input_error::InputError;
pub use inputs::mask_file::MaskFile;
pub use inputs::read_ahead::{FramesTaken, has_no_whole};
pub use job_error::JobError;
pub use job_run::JobRun;
pub use maps::{MapsJob, compose, compose_dry_run, invert, invert_dry_run};
pub use measure::{MeasureJob, MeasureReport, measure_jacobian, measure_strain};

pub use options::dense_options::DenseOptions;
pub use options::method_options::{DenseMethodOptions, MethodOptions, PartsMethodOptions};
pub use options::phase_options::PhaseOptions;
pub use options::start_from::StartFrom;
pub use outputs::field_format::FieldFormat;
pub(crate) use outputs::output_plan::name;
pub use outputs::output_plan::{OutputContent, OutputPlan};
pub use outputs::role::OutputRole;
pub use phantom::{PhantomJob, PhantomRun, phantom};
pub use segment::{MeshInfo, SegmentJob, SegmentOutputs, mesh_info, segment};
pub use sequence::{SequenceJob, sequence};
pub use stereo::{StereoCameras, StereoJob, StereoRun, stereo};
pub use table_info::{TableContent, TableInfo, listed_files, table_info};
pub use track::{ContourInput, FilmChoice, RegionInput, TrackJob, track};
pub use track_points::{TrackPointsJob, TrackPointsReport, TrackStart, track_points};
pub use warp::{PointsRun, WarpJob, WarpSampling, warp_dry_run, warp_image, warp_labels, warp_points};
