//! What keeps maps from being composed or inverted.

use veloxel_core::{Diagnosis, ErrorKind, Hint};

/// Maps that do not make one, or have no inverse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MapsError {
    /// No map at all.
    #[error("there is no map to compose: give one at least")]
    Empty,
    /// A field behind a transform: nothing says on which grid the result lies.
    #[error(
        "a transform comes first and a field follows: give the grid of the result, an image of the space that the first map leads from"
    )]
    NoGrid,
    /// No voxel's way leads through all maps.
    #[error("no voxel has a way through all maps: the fields lie in other spaces, or their order is another")]
    Apart,
    /// A field without an inverse.
    #[error("the field folds in {folded} of {cells} cells between its voxels: it has no inverse")]
    Folds {
        /// Cells in which the determinant is 0 or below somewhere.
        folded: usize,
        /// All cells.
        cells: usize,
    },
}

impl Diagnosis for MapsError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
    fn hint(&self) -> Option<Hint> {
        None
    }
}
