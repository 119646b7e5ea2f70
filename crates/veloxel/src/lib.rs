//! What a Rust user of Veloxel depends on: one crate that holds every other.
//!
//! ```no_run
//! use veloxel::{ClgParams, ClgPreset, DeviceOptions, Pair, Session, Warnings, clg, io};
//!
//! let session = Session::open(&DeviceOptions::default())?;
//! let mut warnings = Warnings::new();
//! let fixed = io::read_image("fixed.nii.gz".as_ref(), io::Strictness::Lenient, &mut warnings)?;
//! let moving = io::read_image("moving.nii.gz".as_ref(), io::Strictness::Lenient, &mut warnings)?;
//! let params = ClgParams::preset(ClgPreset::Accurate, fixed.grid().dimension());
//! let output = clg(&Pair::new(&fixed, &moving), &params, &session)?;
//! io::write_flow("field.nii.gz".as_ref(), &output.flow)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! | you want | look at |
//! |---|---|
//! | images, volumes, sequences, fields, masks, meshes on their grids | [`Volume`], [`Sequence`], [`Flow`], [`Mask`], [`TetMesh`], [`Grid`] |
//! | files of any format | [`io`] |
//! | a device that is opened once, and lent to everything | [`Session`] |
//! | the flow of a pair of images, of a method | [`clg()`], [`lucas_kanade()`], [`block_matching()`], [`finite_elements()`], [`ClgParams`] |
//! | what a command does, from images to results, in memory | [`pipelines`]: [`pipelines::pair()`], [`pipelines::sequence()`] |
//! | the fields of a sequence | [`pipelines::sequence()`], [`run_sequence`] |
//! | an affine start; fields that follow one another | [`motion::steps::affine_registration`], [`compose_flows`] |
//! | flow by phase, stereo, energy, orientation and phase of pictures | [`phase_flow()`], [`phase_stereo()`], [`phase_features()`], [`PhaseParameters`] |
//! | all three over a stream of frames | [`PhaseEngine`] |
//! | all distances of a graph | [`pipelines::distances`](mod@pipelines::distances); [`Graph`], [`ShortestPaths`] |
//! | parts of a surface | [`pipelines::segment`](mod@pipelines::segment); [`mesh`]: [`CleanMesh`], [`DualGraph`], [`mesh::cuts()`], [`mesh::fuzzy_clustering`] with weights of your own |
//! | outlines of a heart over a cine, its strain and volumes | [`pipelines::heart`] |
//! | a device, and data of your own on it | [`Device`], [`Frame`], [`gpu`], [`kernels`] |
//! | a result against the truth | [`measure`], also under the name `metrics` |
//! | the JSON and the page of a run | [`report`] |
//! | what a command does, from files to files | [`jobs`] |
//! | every parameter with its meaning and range, checked settings by name | [`mod@parameters`], [`jobs::MethodOptions`] |
//! | images with a known motion | [`phantoms`] |

mod error;
pub mod jobs;
mod one_shot;
pub mod pipelines;
pub mod session;

pub use error::{Result, VeloxelError};
pub use one_shot::{block_matching, clg, finite_elements, lucas_kanade, phase_flow};
pub use session::{DeviceOptions, Session};
pub use veloxel_core::parameters;
pub use veloxel_core::{
    ArcList, CleaningReport, Control, CoreError, Counter, Diagnosis, Dimension, ErrorKind, Flow,
    FlowStatistics, GraphKind, Grid, Hint, Mask, Observer, Portion, Samples, Sequence, SolveStatus, Stage,
    StageTime, Step, Stopped, TetMesh, TriangleMesh, Volume, VolumeView, Warning, WarningKind, Warnings,
    WeightedArc,
};
pub use veloxel_gpu::{self as gpu, Device, DeviceInfo};
pub use veloxel_io as io;
pub use veloxel_kernels as kernels;
pub use veloxel_measure::{self as measure, self as metrics};
pub use veloxel_mesh::{self as mesh, CleanMesh, DualGraph, Graph, MeshError, ShortestPaths};
pub use veloxel_motion::{
    self as motion, Clg, ClgParams, ClgPreset, DenseFlow, DenseMethod, Extras, FeatureMaps, Frame,
    FrameSource, ImagePair, InverseConsistent, MotionError, Pair, PairMethod, PendingFlow, PhaseEngine,
    PhaseFeatures, PhaseFlow, PhaseFrame, PhaseImage, PhaseParameters, PhasePreset, PhaseStereo, PhaseWanted,
    Region, ResidentFlow, ResidentMask, SequenceFrames, SequenceMode, SequencePlan, Start, WindowMethod,
    compose_flows, phase_features, phase_stereo, run_sequence, run_windows,
};
pub use veloxel_phantoms as phantoms;
pub use veloxel_report as report;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
