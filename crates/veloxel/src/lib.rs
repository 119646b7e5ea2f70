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
//! io::write_flow("field.nii.gz", &output.flow)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is stable
//!
//! Before 1.0 a minor version may change any of this, and the changelog then says what to write instead under *Breaking*.
//!
//! | you want | look at |
//! |---|---|
//! | images, volumes, sequences, fields, masks, meshes on their grids | [`Volume`], [`Sequence`], [`Flow`], [`Mask`], [`TetMesh`], [`TriangleMesh`], [`Grid`] |
//! | images in memory of your own | [`VolumeView`], [`Samples`] |
//! | files of any format | [`io`], its functions |
//! | a device that is opened once, and lent to everything | [`Session`], [`Device`] |
//! | to follow a run and to stop it | [`Observer`], [`Session::follow`] |
//! | what is wrong, and what would mend it | [`VeloxelError`], [`Diagnosis`] |
//! | the flow of a pair of images, of a method | [`clg()`], [`lucas_kanade()`], [`block_matching()`], [`finite_elements()`], [`phase_flow()`], [`ClgParams`] |
//! | what a command does, from images to results, in memory | [`pipelines`]: [`pipelines::pair()`], [`pipelines::sequence()`], [`pipelines::stereo()`] |
//! | an image, labels or points moved by a flow | [`pipelines::warp_image()`], [`pipelines::warp_labels()`], [`pipelines::move_points()`] |
//! | the Jacobian of a flow: the map, its extremes, folded voxels | [`DenseFlow`]`::jacobian` where [`pipelines::PairWanted`] asks for measures, [`FlowStatistics`] |
//! | the Jacobian's determinant and the strain of a field | [`pipelines::jacobian`], [`pipelines::strain`] |
//! | flow, disparity and features of a stream of frames | [`pipelines::engine`] |
//! | a pair of pictures rectified, depths and points of a disparity | [`pipelines::rectify`], [`pipelines::depth`], [`pipelines::point_cloud`] |
//! | all distances of a graph | [`pipelines::distances`](mod@pipelines::distances) |
//! | parts of a surface | [`pipelines::segment`](mod@pipelines::segment) |
//! | outlines of a heart over a cine, its strain and volumes | [`pipelines::heart`] |
//! | what a command does, from files to files | [`jobs`] |
//! | an allocator that ends a program where memory is short, but for allocations whose failure is handled | [`fallible`] |
//! | every parameter with its meaning and range, checked settings by name | [`mod@parameters`], [`jobs::DenseMethodOptions`], [`jobs::PartsMethodOptions`] |
//!
//! # What may change in any version
//!
//! | you want | look at |
//! |---|---|
//! | a dense method of your own in every pipeline and job | [`mod@method`] |
//! | a result against the truth | [`measure`], also under the name `metrics` |
//! | the Rust types of reports and pages; their JSON is stable | [`report`] |
//! | images with a known motion | [`phantoms`] |
//! | kernels, launches, flows on the device, graphs of meshes with weights of your own | [`unstable`] |

#[cfg(feature = "zarr")]
mod boxes;
mod error;
pub mod jobs;
pub mod method;
mod one_shot;
pub mod pipelines;
pub mod session;
pub mod unstable;

pub use error::{Result, VeloxelError};
pub use one_shot::{block_matching, clg, finite_elements, lucas_kanade, phase_flow};
pub use session::{DeviceOptions, Session};
pub use veloxel_core::{
    ArcList, Camera, CleaningReport, Control, CoreError, Counter, DeliveredSamples, DeliveredType, Diagnosis,
    Dimension, ErrorKind, Extremes, Flow, FlowCovariance, FlowStatistics, GraphKind, Grid, Hint, Lens,
    LinearTransform, Mask, Observer, Portion, Rectification, RectifiedView, Samples, Sequence, SolveStatus,
    Stage, StageTime, Step, StereoRig, Stopped, TetMesh, TriangleMesh, Volume, VolumeView, Warning,
    WarningKind, Warnings, WeightedArc,
};
pub use veloxel_core::{choices, fallible, parameters};
pub use veloxel_gpu::{ComputeError, Device, DeviceInfo};
pub use veloxel_io as io;
pub use veloxel_measure::{self as measure, self as metrics};
pub use veloxel_mesh::{Graph, MeshError};
pub use veloxel_motion::{
    BlockMatchingParams, BlockMatchingPreset, ClgParams, ClgPreset, DenseFlow, ErrorCurves, FeatureMaps,
    FiniteElementsParams, FiniteElementsPreset, LucasKanadeParams, LucasKanadePreset, MotionError, Pair,
    PhaseParameters, PhasePreset, PhaseStereo, PhaseWanted, SequenceMode, Start,
};
pub use veloxel_phantoms as phantoms;
pub use veloxel_report as report;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The program of the page on streams compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/streams.md")]
struct Streams;

/// The page on first steps in Rust compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/start/rust.md")]
struct FirstSteps;
