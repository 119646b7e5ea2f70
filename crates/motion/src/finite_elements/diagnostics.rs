//! What [`FiniteElements`](crate::FiniteElements) says of its lattices: while the device may still be at them, and as reports
//! show it.

use crate::pending_flow::{MethodAccount, PendingAccount};
use serde::Serialize;
use veloxel_core::{DiagnosticCell, DiagnosticTable, MethodDiagnostics};
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp};
use veloxel_kernels::elements::state::{ENERGY, FIRST_ENERGY, REFUSED, SMOOTHNESS, STATE, TAKEN};

/// A lattice that was asked for.
pub(super) struct LevelRun {
    pub size: [usize; 3],
    pub elements: [usize; 3],
    pub problems: usize,
    /// Of every problem.
    pub state: Later<Vec<f32>>,
    /// When the device began and ended it.
    pub span: [Timestamp; 2],
}

/// A run that was asked for.
pub(super) struct Account {
    /// Coarsest first.
    pub levels: Vec<LevelRun>,
}

/// One lattice; energies and steps are means over the problems.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct LevelDiagnostics {
    /// Pixels per axis `(x, y, z)` of a problem's images.
    size: [usize; 3],
    /// Elements per axis; 0: the axis does not count.
    elements: [usize; 3],
    /// Image pairs that were worked on together.
    problems: usize,
    /// Energy before the first step, and after the last.
    energy: [f64; 2],
    /// The Sobolev term's part of the latter.
    smoothness: f64,
    /// Steps that lowered the energy.
    taken: f64,
    /// Steps that would have raised it.
    refused: f64,
    /// Time of the device.
    time_ms: f64,
}

impl LevelRun {
    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<LevelDiagnostics, ComputeError> {
        let state = self.state.get_after(device, mark)?;
        let mean = |which: usize| {
            let sum: f64 = state.chunks_exact(STATE).map(|own| f64::from(own[which])).sum();
            sum / self.problems as f64
        };
        Ok(LevelDiagnostics {
            size: self.size,
            elements: self.elements,
            problems: self.problems,
            energy: [mean(FIRST_ENERGY), mean(ENERGY)],
            smoothness: mean(SMOOTHNESS),
            // The first evaluation is no step.
            taken: mean(TAKEN) - 1.0,
            refused: mean(REFUSED),
            time_ms: self.span[1].ms_after(&self.span[0])?,
        })
    }
}

impl PendingAccount for Account {
    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        self.levels.iter_mut().map(|level| &mut level.state as &mut dyn Pending).collect()
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

/// Lattices as the JSON of a report and as a table.
fn diagnostics(levels: &[LevelDiagnostics]) -> MethodDiagnostics {
    let mut json = serde_json::Map::new();
    json.insert("levels".to_owned(), serde_json::json!(levels));
    let row = |level: &LevelDiagnostics| {
        vec![
            DiagnosticCell::Size(level.size),
            DiagnosticCell::Size(level.elements),
            DiagnosticCell::Number(level.taken),
            DiagnosticCell::Number(level.refused),
            DiagnosticCell::Number(level.energy[0]),
            DiagnosticCell::Number(level.energy[1]),
            DiagnosticCell::DurationMs(level.time_ms),
        ]
    };
    let table = DiagnosticTable {
        head: vec!["Level", "elements", "steps", "refused", "energy before", "after", "time"],
        rows: levels.iter().map(row).collect(),
    };
    MethodDiagnostics {
        json,
        device_ms: Some(levels.iter().map(|level| level.time_ms).sum()),
        table: Some(table),
        curves: Vec::new(),
    }
}
