//! What can go wrong on the way from files to a report.

use crate::jobs::{BatchError, InputError, JobError};
use crate::pipelines::DenseError;
use crate::pipelines::engine::EngineError;
use crate::pipelines::filter::FilterError;
use crate::pipelines::heart::HeartError;
use crate::pipelines::{GuidePointsError, MapsError, PointsError};
use std::path::{Path, PathBuf};
use veloxel_core::parameters::ParameterError;
use veloxel_core::{CoreError, Diagnosis, ErrorKind, Hint, Stopped};
use veloxel_gpu::ComputeError;
use veloxel_io::{IoError, Unpublished};
use veloxel_measure::MeasureError;
use veloxel_mesh::MeshError;
use veloxel_motion::MotionError;
use veloxel_phantoms::PhantomError;
use veloxel_report::ReportError;
use veloxel_report::number::counted;

/// What this crate's functions return: something, or a [`VeloxelError`].
pub type Result<T, E = VeloxelError> = std::result::Result<T, E>;

/// A failure of a job, a measurement or a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VeloxelError {
    /// A grid, a volume or a field breaks a promise.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// A file could not be read or written.
    #[error(transparent)]
    Io(IoError),
    /// A setting that the method does not take.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A method could not run.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// A graph, or its distances, could not be had.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A file holds no mesh or graph that this can be done with.
    #[error("{}: {source}", path.display())]
    MeshFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: MeshError,
    },
    /// A flow cannot be estimated as asked.
    #[error(transparent)]
    Dense(#[from] DenseError),
    /// A device could not do what was asked.
    #[error(transparent)]
    Compute(#[from] ComputeError),
    /// A phantom could not be made.
    #[error(transparent)]
    Phantom(#[from] PhantomError),
    /// A result could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A report or a page could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A parameter file that is not there, or is no TOML.
    #[error("cannot use the parameters in {}: {reason}", path.display())]
    ParameterFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// A label image without the labels of a mask.
    #[error("{}: no voxel has the label {wanted}; there are {there}", path.display())]
    MaskLabels {
        /// The label image.
        path: PathBuf,
        /// The labels asked for.
        wanted: String,
        /// The labels of the image.
        there: String,
    },
    /// More different labels than 32-bit floats tell apart, some of them beyond those that floats hold as they are.
    #[error("{count} different labels, some beyond 16777216: at most so many can be moved then")]
    ManyLabels {
        /// How many there are.
        count: usize,
    },
    /// Rows of a batch that are not run.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The paths given to a job do not belong together.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A job that failed, and could not take back all that it had written.
    #[error("{error}")]
    LeftBehind {
        /// Why it failed.
        error: Box<Self>,
        /// The files and folders that are still there.
        paths: Vec<PathBuf>,
    },
    /// A stream that broke off after some frames, whose results were written all the same.
    #[error("{error}; what was found for the {} before is written", counted(*frames, "frame"))]
    BrokenOff {
        /// Why it broke off.
        error: Box<Self>,
        /// Frames before that.
        frames: usize,
    },
    /// An output where an input is.
    #[error("{} is an input, which the output would replace: give the output another name", path.display())]
    ReplacesInput {
        /// The file, by the name of the output or of the input.
        path: PathBuf,
    },
    /// Two outputs of one name.
    #[error("{} would get two outputs: give each a name of its own", path.display())]
    SameOutput {
        /// The second of them, as it was given.
        path: PathBuf,
    },
    /// Outlines of a heart could not be followed.
    #[error(transparent)]
    Heart(#[from] HeartError),
    /// The run was stopped by its observer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A stream is too short for its results.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Points cannot be followed.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// No outline can be laid through clicks.
    #[error(transparent)]
    GuidePoints(#[from] GuidePointsError),
    /// Maps that do not make one, or have no inverse.
    #[error(transparent)]
    Maps(#[from] MapsError),
    /// Settings are no filter, or not one of the image.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// Inputs do not belong together, or not to their output.
    #[error(transparent)]
    Input(#[from] InputError),
}

impl From<IoError> for VeloxelError {
    /// Turns a stop while reading or writing into a stop of the run, and a refusal of an input into that of its output.
    fn from(error: IoError) -> Self {
        match error {
            IoError::Stopped(stopped) => Self::Stopped(stopped),
            IoError::ReplacesInput { path } => Self::ReplacesInput { path },
            error => Self::Io(error),
        }
    }
}

impl From<Box<Unpublished>> for VeloxelError {
    /// Why outputs did not appear, with those that could not be taken back.
    fn from(failed: Box<Unpublished>) -> Self {
        let Unpublished { error, left_behind } = *failed;
        let error = Self::from(error);
        match left_behind.is_empty() {
            true => error,
            false => Self::LeftBehind { error: Box::new(error), paths: left_behind },
        }
    }
}

impl VeloxelError {
    /// The files and folders that a failed job could not take back.
    pub fn left_behind(&self) -> &[PathBuf] {
        match self {
            Self::LeftBehind { paths, .. } => paths,
            _ => &[],
        }
    }

    /// What is wrong with the mesh or graph of a file.
    pub(crate) fn of_mesh_file(path: &Path) -> impl FnOnce(MeshError) -> Self {
        move |source| Self::MeshFile { path: path.to_owned(), source }
    }
}

impl VeloxelError {
    /// The error of the crate below that this one passes on.
    fn source_diagnosis(&self) -> Option<&dyn Diagnosis> {
        Some(match self {
            Self::Core(error) => error,
            Self::Io(error) => error,
            Self::Parameter(error) => error,
            Self::Motion(error) => error,
            Self::Heart(error) => error,
            Self::Engine(error) => error,
            Self::Points(error) => error,
            Self::Input(error) => error,
            Self::GuidePoints(error) => error,
            Self::Maps(error) => error,
            Self::Filter(error) => error,
            Self::Mesh(error) | Self::MeshFile { source: error, .. } => error,
            Self::Compute(error) => error,
            Self::Phantom(error) => error,
            Self::Measure(error) => error,
            Self::Report(error) => error,
            Self::Stopped(error) => error,
            Self::Dense(error) => error,
            Self::Job(error) => error,
            Self::Batch(error) => error,
            Self::LeftBehind { error, .. } | Self::BrokenOff { error, .. } => &**error,
            _ => return None,
        })
    }
}

impl Diagnosis for VeloxelError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::ParameterFile { .. } => ErrorKind::Parameter,
            Self::ReplacesInput { .. } | Self::SameOutput { .. } => ErrorKind::Io,
            other => other.source_diagnosis().map_or(ErrorKind::Input, Diagnosis::kind),
        }
    }
    fn hint(&self) -> Option<Hint> {
        self.source_diagnosis().and_then(Diagnosis::hint)
    }
}
