//! What [`BlockMatching`](crate::BlockMatching) says of a level.

use crate::level_account::LevelDiagnostics;
use serde::Serialize;
use veloxel_core::DiagnosticCell;

/// The searches of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Searches {
    /// Blocks per axis.
    pub(super) blocks: [usize; 3],
    /// Spacing in voxels of the full grid `(x, y, z)`.
    pub(super) spacing_vox: [f64; 3],
    /// Mean |δ| of each search over the blocks, edges of this level.
    pub(super) mean_increments_edges: Vec<f64>,
}

impl LevelDiagnostics for Searches {
    const COLUMNS: &[&'static str] = &["blocks", "searches", "last mean |δ|"];

    fn cells(&self) -> Vec<DiagnosticCell> {
        vec![
            DiagnosticCell::Count(self.blocks.iter().product()),
            DiagnosticCell::Count(self.mean_increments_edges.len()),
            DiagnosticCell::Number(self.mean_increments_edges.last().copied().unwrap_or(f64::NAN)),
        ]
    }
}
