//! What [`LucasKanade`](crate::LucasKanade) says of a level.

use crate::level_account::{Level, LevelDiagnostics, over_levels};
use crate::solving::StopReason;
use serde::Serialize;
use veloxel_core::{DiagnosticCell, DiagnosticCurves};

/// The iterations of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Iterations {
    /// Spacing in voxels of the full grid `(x, y, z)`.
    pub(super) spacing_vox: [f64; 3],
    /// Mean |δ| of each iteration over the grid, voxels of this level.
    pub(super) mean_increments_vox: Vec<f64>,
    /// Why the iterations ended.
    pub(super) stop: StopReason,
}

impl LevelDiagnostics for Iterations {
    const COLUMNS: &[&'static str] = &["iterations", "last mean |δ|", "stopped"];

    fn cells(&self) -> Vec<DiagnosticCell> {
        vec![
            DiagnosticCell::Count(self.mean_increments_vox.len()),
            DiagnosticCell::Number(self.mean_increments_vox.last().copied().unwrap_or(f64::NAN)),
            DiagnosticCell::Text(self.stop.text().to_owned()),
        ]
    }

    fn curves(levels: &[Level<Self>]) -> Vec<DiagnosticCurves> {
        let labels = DiagnosticCurves {
            title: "Increment",
            x_label: "iteration, coarse to fine",
            y_label: "mean |δ|, voxels of the level",
            is_logarithmic: true,
            ..DiagnosticCurves::default()
        };
        vec![over_levels(levels, |level| level.mean_increments_vox.clone(), labels)]
    }
}
