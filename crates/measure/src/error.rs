//! Errors of measuring a result.

use veloxel_core::{CoreError, Diagnosis, ErrorKind, Hint, Stopped};

/// A failure of a measurement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// A grid, a volume or a field breaks a promise.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// A measurement over no voxel at all.
    #[error("{what}: no voxel to measure ({reason})")]
    NothingToMeasure {
        /// The measurement.
        what: &'static str,
        /// Why nothing was left.
        reason: &'static str,
    },
    /// A label image holds something that is not a label.
    #[error(
        "{what} holds {value} at voxel (x, y, z) = {position:?}: labels are whole numbers from 0 to 16777216"
    )]
    NotALabel {
        /// Which label image.
        what: String,
        /// The sample found.
        value: f32,
        /// Where: (x, y, z).
        position: [usize; 3],
    },
    /// A grey image where labels are expected.
    #[error("{what} looks like a grey image, not labels: {values} values, most of them scattered")]
    GreyImage {
        /// Which image.
        what: String,
        /// How many values there are.
        values: usize,
    },
    /// Two segmentations of different meshes.
    #[error(
        "the segmentation has {result} faces, and what it is held against has {truth}: they are not of one mesh"
    )]
    Faces {
        /// Faces of the segmentation that is measured.
        result: usize,
        /// Faces of the truth.
        truth: usize,
    },
    /// The run was stopped by its observer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl MeasureError {
    pub(crate) fn nothing(what: &'static str, reason: &'static str) -> Self {
        Self::NothingToMeasure { what, reason }
    }
}

impl Diagnosis for MeasureError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Stopped(error) => error.kind(),
            _ => ErrorKind::Input,
        }
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Core(error) => error.hint(),
            _ => None,
        }
    }
}
