//! Where a field folds: at its voxels, and, proven, in the cells between them.

mod cell_determinant;
mod cell_lanes;
mod certificate;
mod folding_sums;
mod shares;

pub use certificate::{CellCounts, FoldingCertificate, folding_certificate};
pub use folding_sums::FoldingSums;
pub use shares::{share_folded, volume_change};
