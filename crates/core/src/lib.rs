//! The nouns of Veloxel: where samples lie, what they hold, which way a field points, what a run reports.
//!
//! # Conventions
//!
//! *Arrays* are C-ordered and indexed `[z, y, x]`, x fastest; samples are `f32`.
//! *Components* and every per-axis triple (size, spacing, origin) come in the order `(x, y, z)`.
//! *Fields* are planar: one array per component.
//! *Units*: voxels (pixels) inside, LPS millimetres (or pixels) in files; the change happens in [`Flow`] alone.
//! *Direction*: a [`Flow`] lives on the fixed grid and points into the moving image,
//! `fixed(x) ≈ moving(x + d(x))`.
//! *Invalid* estimates are NaN in memory; nothing invalid is ever written as 0.
//!
//! # What is stable
//!
//! The library `veloxel` gives these on as stable: the types of samples and shapes ([`Volume`], [`VolumeView`], [`Samples`],
//! [`Sequence`], [`Flow`], [`Mask`], [`DeliveredSamples`], [`TetMesh`], [`TriangleMesh`], [`Grid`], [`Dimension`]), cameras and how their
//! pictures are rectified ([`Camera`], [`Lens`], [`StereoRig`], [`Rectification`], [`RectifiedView`]), lists of arcs ([`ArcList`],
//! [`WeightedArc`], [`GraphKind`]), what follows and stops a run ([`Control`], [`Observer`], [`Step`], [`Stage`], [`Counter`],
//! [`Portion`], [`Stopped`]), errors and warnings ([`Diagnosis`], [`ErrorKind`], [`Hint`], [`CoreError`], [`Warnings`]), the
//! statistics of a run ([`FlowStatistics`], [`SolveStatus`], [`StageTime`], [`CleaningReport`]), and [`mod@parameters`] but for what
//! its documentation hides. The rest serves the crates above and may change in any version.

mod arcs;
mod camera;
mod contour;
mod control;
mod delivered_samples;
mod diagnosis;
mod diagnostics;
mod error;
mod extremes;
pub mod fallible;
mod flow;
mod grid;
mod linear_transform;
mod mask;
pub mod matrix3;
mod mesh;
mod number_runs;
pub mod parameters;
mod polygon_cut;
mod sequence;
mod shape;
mod system_memory;
mod triangle_mesh;
mod volume;
mod volume_view;
mod warning;

pub use arcs::{ArcList, GraphKind, WeightedArc};
pub use camera::{Camera, Lens, Rectification, RectifiedView, StereoRig, Tilt};
pub use contour::{Contour, ContourSet, Polygon, PolygonRow, Structure};
pub use control::pace::Pace;
pub use control::sorting::{sort, sort_by};
pub use control::threads::{ThreadPool, Threads};
pub use control::{Control, Counter, Observer, Portion, Stage, Step, Stopped};
pub use delivered_samples::{DeliveredSamples, DeliveredType};
pub use diagnosis::{Diagnosis, ErrorKind, Hint};
pub use diagnostics::{
    BrightnessReport, DiagnosticCell, DiagnosticCurve, DiagnosticCurves, DiagnosticSection, DiagnosticTable,
    FlowStatistics, JacobianReport, LinearBrightness, MethodDiagnostics, SolveStatus, StageTime,
};
pub use error::CoreError;
pub use extremes::Extremes;
pub use flow::covariance::FlowCovariance;
pub use flow::{Flow, planar};
pub use grid::grid_box::GridBox;
pub use grid::{Dimension, Grid};
pub use linear_transform::LinearTransform;
pub use mask::Mask;
pub use mesh::TetMesh;
pub use mesh::cleaning_report::CleaningReport;
pub use number_runs::number_runs;
pub use sequence::Sequence;
pub use shape::{Axes, Shape};
pub use system_memory::{SystemMemory, memory_size};
pub use triangle_mesh::TriangleMesh;
pub use volume::Volume;
pub use volume_view::{Samples, VolumeView};
pub use warning::{Warning, WarningKind, Warnings};
