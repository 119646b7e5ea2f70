//! What a Rust user of Veloxel depends on: the nouns, the methods, pipelines from files to reports, and measures.
//!
//! ```no_run
//! use veloxel::{ClgParams, Preset, Warnings, clg, io};
//!
//! let mut warnings = Warnings::new();
//! let fixed = io::read_image("fixed.nii.gz".as_ref(), io::Strictness::Lenient, &mut warnings)?;
//! let moving = io::read_image("moving.nii.gz".as_ref(), io::Strictness::Lenient, &mut warnings)?;
//! let output = clg(&fixed, &moving, &ClgParams::preset(Preset::Accurate, fixed.grid().dimension()))?;
//! io::write_flow("field.nii.gz".as_ref(), &output.flow)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod pipelines;

mod error;

pub use error::VeloxelError;
pub use veloxel_compute::{Device, DeviceInfo};
pub use veloxel_core::{
    CoreError, Dimension, Flow, FlowStatistics, Grid, Mask, Sequence, TetMesh, Volume, Warning, WarningKind,
    Warnings,
};
pub use veloxel_io as io;
pub use veloxel_motion::{
    Clg, ClgParams, DenseFlow, Extras, Frame, FrameSource, ImagePair, InverseConsistent, MotionError,
    Observer, Pair, PairMethod, Preset, Region, Silent, Start, Step, WindowMethod, affine_registration, clg,
    method, multigrid, pyramid,
};
pub use veloxel_report as report;
pub use veloxel_report::metrics;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
