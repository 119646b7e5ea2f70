//! What [`BlockMatching`](crate::BlockMatching) says of its levels: while the device may still be at them, and as reports
//! show it.

use crate::pending_flow::{MethodAccount, PendingAccount};
use serde::Serialize;
use veloxel_core::{DiagnosticCell, DiagnosticTable, MethodDiagnostics};
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp};

/// A level that was asked for.
pub(super) struct LevelRun {
    pub size: [usize; 3],
    pub blocks: [usize; 3],
    pub spacing_vox: [f64; 3],
    /// Mean |δ| of each search, edges of the level.
    pub increments: Vec<Later<f64>>,
    /// When the device began and ended it.
    pub span: [Timestamp; 2],
}

/// A run that was asked for.
pub(super) struct Account {
    /// Coarsest first.
    pub levels: Vec<LevelRun>,
}

/// One pyramid level.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct LevelDiagnostics {
    /// Voxels per axis `(x, y, z)`.
    size: [usize; 3],
    /// Blocks per axis.
    blocks: [usize; 3],
    /// Spacing in voxels of the full grid `(x, y, z)`.
    spacing_vox: [f64; 3],
    /// Mean |δ| of each search over the blocks, edges of this level.
    mean_increments_edges: Vec<f64>,
    /// Time of the device.
    time_ms: f64,
}

impl LevelRun {
    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<LevelDiagnostics, ComputeError> {
        let increments = self.increments.into_iter().map(|mean| mean.get_after(device, mark));
        Ok(LevelDiagnostics {
            size: self.size,
            blocks: self.blocks,
            spacing_vox: self.spacing_vox,
            mean_increments_edges: increments.collect::<Result<_, _>>()?,
            time_ms: self.span[1].ms_after(&self.span[0])?,
        })
    }
}

impl PendingAccount for Account {
    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        let increments = self.levels.iter_mut().flat_map(|level| &mut level.increments);
        increments.map(|increment| increment as &mut dyn Pending).collect()
    }

    fn settle(
        self: Box<Self>,
        device: &Device,
        mark: Option<&Timestamp>,
    ) -> Result<MethodAccount, ComputeError> {
        let levels =
            self.levels.into_iter().map(|run| run.settle(device, mark)).collect::<Result<Vec<_>, _>>()?;
        Ok(MethodAccount { diagnostics: diagnostics(&levels), ..MethodAccount::default() })
    }
}

/// Levels as the JSON of a report, and as a table.
fn diagnostics(levels: &[LevelDiagnostics]) -> MethodDiagnostics {
    let mut json = serde_json::Map::new();
    json.insert("levels".to_owned(), serde_json::json!(levels));
    let row = |level: &LevelDiagnostics| {
        vec![
            DiagnosticCell::Size(level.size),
            DiagnosticCell::Count(level.blocks.iter().product()),
            DiagnosticCell::Count(level.mean_increments_edges.len()),
            DiagnosticCell::Number(level.mean_increments_edges.last().copied().unwrap_or(f64::NAN)),
            DiagnosticCell::DurationMs(level.time_ms),
        ]
    };
    MethodDiagnostics {
        json,
        device_ms: Some(levels.iter().map(|level| level.time_ms).sum()),
        table: Some(DiagnosticTable {
            head: vec!["Level", "blocks", "searches", "last mean |δ|", "time"],
            rows: levels.iter().map(row).collect(),
        }),
        curves: Vec::new(),
    }
}
