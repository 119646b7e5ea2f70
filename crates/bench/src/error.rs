//! Errors of measuring.

use std::path::PathBuf;
use veloxel::VeloxelError;
use veloxel_core::CoreError;
use veloxel_gpu::ComputeError;
use veloxel_io::IoError;
use veloxel_measure::MeasureError;
use veloxel_mesh::MeshError;
use veloxel_motion::MotionError;
use veloxel_phantoms::PhantomError;
use veloxel_report::ReportError;

/// A failure of a benchmark.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// A grid, a volume or a field breaks a promise.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// A method could not run.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// A device could not do what was asked.
    #[error(transparent)]
    Compute(#[from] ComputeError),
    /// A phantom could not be made.
    #[error(transparent)]
    Phantom(#[from] PhantomError),
    /// A result could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A page could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A graph, or its distances, could not be made.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A job of the command could not run.
    #[error(transparent)]
    Job(#[from] VeloxelError),
    /// Something was measured and is not good enough, or could not be measured.
    #[error("{reason}")]
    Missed {
        /// Names of the figures, and by how much they miss.
        reason: String,
    },
    /// A bench whose bars are those of a GPU, on another device.
    #[error("the bench {bench} needs a GPU, and this device is none: {device}")]
    NeedsGpu {
        /// The bench.
        bench: &'static str,
        /// The device, as people know it.
        device: String,
    },
    /// A file of results cannot stand beside others.
    #[error("cannot merge {}: {reason}", path.display())]
    Merge {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A measurement in a process of its own gave no result.
    #[error("a measurement in a process of its own failed: {reason}")]
    Process {
        /// How the process ended.
        reason: String,
    },
}
