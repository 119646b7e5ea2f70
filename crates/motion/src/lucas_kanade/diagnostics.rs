//! What [`LucasKanade`](crate::LucasKanade) says of a level.

use crate::level_account::{Level, LevelDiagnostics, PendingLevel, over_levels};
use crate::solving::StopReason;
use serde::Serialize;
use veloxel_core::{DiagnosticCell, DiagnosticCurves};
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp};

/// A level that was asked for.
pub(super) struct PendingIterations {
    pub spacing_vox: [f64; 3],
    /// Mean |δ| of each iteration, voxels of the level.
    pub increments: Vec<Later<f64>>,
    pub stop: StopReason,
}

/// The iterations of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Iterations {
    /// Spacing in voxels of the full grid `(x, y, z)`.
    spacing_vox: [f64; 3],
    /// Mean |δ| of each iteration over the grid, voxels of this level.
    mean_increments_vox: Vec<f64>,
    /// Why the iterations ended.
    stop: StopReason,
}

impl PendingLevel for PendingIterations {
    type Settled = Iterations;

    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        self.increments.iter_mut().map(|increment| increment as &mut dyn Pending).collect()
    }

    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<Iterations, ComputeError> {
        let increments = self.increments.into_iter().map(|increment| increment.get_after(device, mark));
        Ok(Iterations {
            spacing_vox: self.spacing_vox,
            mean_increments_vox: increments.collect::<Result<_, _>>()?,
            stop: self.stop,
        })
    }
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
