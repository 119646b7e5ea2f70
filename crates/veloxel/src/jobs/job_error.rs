//! What is wrong with the paths that a job is given.

use std::path::PathBuf;
use veloxel_core::{Diagnosis, ErrorKind, Grid, Hint};
use veloxel_mesh::LENGTH_PARAMETERS;
use veloxel_report::number::counted;

/// Paths that do not belong together, or not to their job.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// Another number of inputs than a pair's.
    #[error("expected FIXED and MOVING, got {got} inputs")]
    PairInputs {
        /// How many there are.
        got: usize,
    },
    /// One source of several frames, where headers alone are read.
    #[error("{source_name}: a dry run reads headers alone: name the frames one by one")]
    DryRunSource {
        /// The source.
        source_name: String,
    },
    /// An output in metres where nothing is known of the cameras.
    #[error("{output} needs the focal length and the baseline of the cameras, or their calibration")]
    NoCameras {
        /// What was asked for.
        output: &'static str,
    },
    /// Rectified pictures where nothing is rectified.
    #[error("rectified pictures need a calibration of the cameras")]
    NoCalibration,
    /// Tiles that a run of something else left where it was ended.
    #[error(
        "{}: an ended run left its tiles there, and its {what} is another: run that one to its end, or remove the folder",
        folder.display()
    )]
    OtherTiles {
        /// The hidden folder.
        folder: PathBuf,
        /// What both runs have otherwise.
        what: String,
    },
    /// An address of something else than a store, for a field or an image.
    #[error("{}: at an address only a whole store is written: give it a name that ends in .ome.zarr", path.display())]
    NoStore {
        /// The address.
        path: PathBuf,
    },
    /// A file for the many fields of a sequence.
    #[error("{}: a sequence has many fields, and one file holds one: name a folder", path.display())]
    FieldsInFile {
        /// The file.
        path: PathBuf,
    },
    /// A text that holds no graph, points, outlines or transform.
    #[error("{}: {reasons}", path.display())]
    UnknownTable {
        /// The file.
        path: PathBuf,
        /// Why it cannot be read as each of them.
        reasons: String,
    },
    /// A file for the outlines, fields and tables of a heart.
    #[error("{}: tracking writes many files: name a folder", path.display())]
    HeartInFile {
        /// The file.
        path: PathBuf,
    },
    /// Images whose results no NIfTI file holds.
    #[error(
        "{}: an axis of {axis}: the results are written as NIfTI, which holds {MOST_ON_AXIS} along each: cut the images out \
         first",
        path.display()
    )]
    LongAxis {
        /// The images, the first of them.
        path: PathBuf,
        /// Voxels or frames along the longest axis.
        axis: usize,
    },
    /// One file for two series of maps.
    #[error("{}: one file holds one series of {maps}, and both consecutive and reference fields have one: name a folder", path.display())]
    SeriesInFile {
        /// The file.
        path: PathBuf,
        /// The output that it is named for.
        output: Hint,
        /// What it would hold.
        maps: &'static str,
    },
    /// A truth that is no folder of fields.
    #[error(
        "{}: {reason}; the truth of a sequence is a folder with a file for every field, named as the run's own \
         (consecutive_000_001.flo) or in their order",
        path.display()
    )]
    TruthFolder {
        /// What was given.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A folder with another number of true fields than the run has fields.
    #[error("{}: {}, but the run has {count}", path.display(), counted(*got, "field"))]
    TruthCount {
        /// The folder.
        path: PathBuf,
        /// How many it holds.
        got: usize,
        /// How many there should be.
        count: usize,
    },
    /// Parameters of the faces of a mesh, and a file that is none.
    #[error("{}: parameters weigh the faces of a mesh, and this is a graph, whose file has its weights", path.display())]
    LengthsOfGraph {
        /// The file.
        path: PathBuf,
    },
    /// Arcs that lead one way, of a mesh.
    #[error("{}: neighbours of a mesh reach each other both ways: only arcs of a graph lead one way", path.display())]
    DirectedMesh {
        /// The file.
        path: PathBuf,
    },
    /// A parameter of clusters that changes no distance.
    #[error("`{name}` does not change the distances between faces: those that do are {}", LENGTH_PARAMETERS.join(", "))]
    NoLength {
        /// The parameter.
        name: String,
    },
}

/// Voxels or frames along an axis of a NIfTI file.
const MOST_ON_AXIS: usize = i16::MAX as usize;

/// Refuses images whose results are written as NIfTI and would not fit, before the work.
pub(super) fn require_nifti(inputs: &[PathBuf], grid: &Grid, frames: usize) -> Result<(), JobError> {
    let axis = grid.size().into_iter().fold(frames, usize::max);
    let path = inputs.first().cloned().unwrap_or_default();
    if axis <= MOST_ON_AXIS { Ok(()) } else { Err(JobError::LongAxis { path, axis }) }
}

impl Diagnosis for JobError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }

    fn hint(&self) -> Option<Hint> {
        match self {
            Self::PairInputs { .. } => Some(Hint::Sequence),
            Self::NoCameras { .. } | Self::NoCalibration => Some(Hint::Cameras),
            Self::SeriesInFile { output, .. } => Some(*output),
            Self::TruthFolder { .. } | Self::TruthCount { .. } => Some(Hint::Truth),
            Self::DryRunSource { .. }
            | Self::OtherTiles { .. }
            | Self::NoStore { .. }
            | Self::FieldsInFile { .. }
            | Self::HeartInFile { .. }
            | Self::UnknownTable { .. }
            | Self::LengthsOfGraph { .. }
            | Self::DirectedMesh { .. }
            | Self::NoLength { .. }
            | Self::LongAxis { .. } => None,
        }
    }
}
