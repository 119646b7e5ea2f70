//! Where a field folds: at its voxels, and, proven, in the cells between them.

mod cell_determinant;
mod cell_lanes;
mod certificate;
mod shares;

pub use certificate::{CellCounts, FoldingCertificate, FoldingSums, folding_certificate};
pub use shares::{share_folded, volume_change};
