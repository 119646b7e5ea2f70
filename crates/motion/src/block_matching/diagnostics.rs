//! What [`BlockMatching`](crate::BlockMatching) says of a level.

use crate::level_account::{LevelDiagnostics, PendingLevel};
use serde::Serialize;
use veloxel_core::DiagnosticCell;
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp};

/// A level that was asked for.
pub(super) struct PendingSearches {
    pub blocks: [usize; 3],
    pub spacing_vox: [f64; 3],
    /// Mean |δ| of each search, edges of the level.
    pub increments: Vec<Later<f64>>,
}

/// The searches of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Searches {
    /// Blocks per axis.
    blocks: [usize; 3],
    /// Spacing in voxels of the full grid `(x, y, z)`.
    spacing_vox: [f64; 3],
    /// Mean |δ| of each search over the blocks, edges of this level.
    mean_increments_edges: Vec<f64>,
}

impl PendingLevel for PendingSearches {
    type Settled = Searches;

    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        self.increments.iter_mut().map(|increment| increment as &mut dyn Pending).collect()
    }

    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<Searches, ComputeError> {
        let increments = self.increments.into_iter().map(|mean| mean.get_after(device, mark));
        Ok(Searches {
            blocks: self.blocks,
            spacing_vox: self.spacing_vox,
            mean_increments_edges: increments.collect::<Result<_, _>>()?,
        })
    }
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
