//! What can go wrong on the way from files to a report.

use veloxel_core::CoreError;

/// A failure of a pipeline, a measurement or a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VeloxelError {
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
}
