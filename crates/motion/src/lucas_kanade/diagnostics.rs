//! What [`LucasKanade`](crate::LucasKanade) says of its levels: while the device may still be at them, and as reports show it.

use crate::pending_flow::{MethodAccount, PendingAccount, PendingBrightness};
use crate::solving::StopReason;
use serde::Serialize;
use veloxel_core::{
    DiagnosticCell, DiagnosticCurve, DiagnosticCurves, DiagnosticSection, DiagnosticTable, MethodDiagnostics,
};
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp};

/// A level that was asked for.
pub(super) struct LevelRun {
    pub size: [usize; 3],
    pub spacing_vox: [f64; 3],
    /// Mean |δ| of each iteration, voxels of the level.
    pub increments: Vec<Later<f64>>,
    pub stop: StopReason,
    /// When the device began and ended it.
    pub span: [Timestamp; 2],
}

/// A run that was asked for.
pub(super) struct Account {
    /// Coarsest first.
    pub levels: Vec<LevelRun>,
    /// Before any warp, and after the last.
    pub brightness: PendingBrightness,
}

/// One pyramid level.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct LevelDiagnostics {
    /// Voxels per axis `(x, y, z)`.
    size: [usize; 3],
    /// Spacing in voxels of the full grid `(x, y, z)`.
    spacing_vox: [f64; 3],
    /// Mean |δ| of each iteration over the grid, voxels of this level.
    mean_increments_vox: Vec<f64>,
    /// Why the iterations ended.
    stop: StopReason,
    /// Time of the device.
    time_ms: f64,
}

impl LevelRun {
    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<LevelDiagnostics, ComputeError> {
        let increments = self.increments.into_iter();
        Ok(LevelDiagnostics {
            size: self.size,
            spacing_vox: self.spacing_vox,
            mean_increments_vox: increments
                .map(|increment| increment.get_after(device, mark))
                .collect::<Result<_, _>>()?,
            stop: self.stop,
            time_ms: self.span[1].ms_after(&self.span[0])?,
        })
    }
}

impl PendingAccount for Account {
    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        let increments = self.levels.iter_mut().flat_map(|level| &mut level.increments);
        increments.map(|increment| increment as &mut dyn Pending).chain(self.brightness.numbers()).collect()
    }

    fn settle(
        self: Box<Self>,
        device: &Device,
        mark: Option<&Timestamp>,
    ) -> Result<MethodAccount, ComputeError> {
        let levels =
            self.levels.into_iter().map(|run| run.settle(device, mark)).collect::<Result<Vec<_>, _>>()?;
        Ok(MethodAccount {
            brightness: Some(self.brightness.settle(device, mark)?),
            diagnostics: diagnostics(&levels),
            ..MethodAccount::default()
        })
    }
}

/// Levels as the JSON of a report, as a table, and as a curve.
fn diagnostics(levels: &[LevelDiagnostics]) -> MethodDiagnostics {
    let mut json = serde_json::Map::new();
    json.insert("levels".to_owned(), serde_json::json!(levels));
    let row = |level: &LevelDiagnostics| {
        vec![
            DiagnosticCell::Size(level.size),
            DiagnosticCell::Count(level.mean_increments_vox.len()),
            DiagnosticCell::Number(level.mean_increments_vox.last().copied().unwrap_or(f64::NAN)),
            DiagnosticCell::Text(level.stop.text().to_owned()),
            DiagnosticCell::DurationMs(level.time_ms),
        ]
    };
    let table = DiagnosticTable {
        head: vec!["Level", "iterations", "last mean |δ|", "stopped", "time"],
        rows: levels.iter().map(row).collect(),
    };
    MethodDiagnostics {
        json,
        device_ms: Some(levels.iter().map(|level| level.time_ms).sum()),
        table: Some(table),
        curves: vec![increments(levels)],
    }
}

/// Increments from coarse to fine.
fn increments(levels: &[LevelDiagnostics]) -> DiagnosticCurves {
    let (mut pieces, mut sections, mut done) = (Vec::new(), Vec::new(), 0.0);
    for level in levels {
        // Levels are images of their own: no line between them.
        let points =
            level.mean_increments_vox.iter().enumerate().map(|(n, &mean)| [done + n as f64 + 1.0, mean]);
        pieces.push(points.collect());
        let begin = done + 0.5;
        done += level.mean_increments_vox.len() as f64;
        sections.push(DiagnosticSection { x_range: [begin, done + 0.5], size: level.size });
    }
    DiagnosticCurves {
        title: "Increment",
        x_label: "iteration, coarse to fine",
        y_label: "mean |δ|, voxels of the level",
        is_logarithmic: true,
        curves: vec![DiagnosticCurve { size: None, shade: None, pieces }],
        sections,
    }
}
