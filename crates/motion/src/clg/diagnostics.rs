//! What [`Clg`](crate::Clg) says of a level and its warps.

use super::parameters::{ClgParams, ClgPreset};
use crate::steps::level_account::{LevelDiagnostics, LevelReport, PendingLevel, over_levels};
use crate::steps::level_steps::unfolding::Taken;
use crate::steps::solving::{Solving, StopReason};
use serde::Serialize;
use veloxel_core::{DiagnosticCell, DiagnosticCurve, DiagnosticCurves, Dimension, WarningKind, Warnings};
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp};

/// How well the images match that a warp begins with.
pub(super) struct Compared {
    /// Σ |I_t| and number of voxels.
    pub difference: Later<(f64, f64)>,
    /// Mean squared distance, edges², where weights follow it.
    pub mismatch2: Option<Later<f64>>,
}

/// A warp that was asked for; its numbers may still be on the device.
pub(super) struct WarpRun {
    pub solving: Solving,
    pub mean_increment_vox: Later<f64>,
    /// Σ |I_t| and number of voxels.
    pub difference: Later<(f64, f64)>,
    /// How much of it was taken, where cells are kept from folding.
    pub taken: Option<Taken>,
}

/// A level that was asked for.
pub(super) struct PendingWarps {
    pub spacing_vox: [f64; 3],
    pub warps: Vec<WarpRun>,
    pub stop: StopReason,
    pub asked: AskedTolerances,
}

/// Tolerances that the user set, so that missing one is no success. A preset's own `warp_tol` does not count: it only ends a
/// schedule early.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct AskedTolerances {
    /// Tolerance of a level's warps, voxels.
    warp_tol: Option<f64>,
    /// Tolerance of a linear solve.
    rtol: Option<f64>,
}

impl AskedTolerances {
    pub fn of(params: &ClgParams) -> Self {
        let is_of_a_preset =
            [ClgPreset::Accurate, ClgPreset::Fast, ClgPreset::Paper].into_iter().any(|preset| {
                [Dimension::Two, Dimension::Three]
                    .into_iter()
                    .any(|dimension| ClgParams::preset(preset, dimension).warp_tol == params.warp_tol)
            });
        Self {
            warp_tol: Some(params.warp_tol).filter(|_| !is_of_a_preset),
            rtol: Some(params.rtol).filter(|rtol| *rtol > 0.0),
        }
    }
}

/// How often a tolerance was missed.
#[derive(Default)]
struct Missed {
    tolerance: f64,
    missed: usize,
    of: usize,
}

impl Missed {
    fn count(&mut self, asked: Option<f64>, stopped: bool) {
        if let Some(tolerance) = asked {
            self.tolerance = tolerance;
            self.missed += usize::from(stopped);
            self.of += 1;
        }
    }
}

/// One warp: the data term linearised around the present field, and the increment solved for.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct WarpDiagnostics {
    /// ‖r‖/‖r₀‖ after each iteration (V-cycle or sweep batch), the first entry 1.
    relative_residuals: Vec<f64>,
    /// Mean |δ| over the grid, voxels of this level.
    mean_increment_vox: f64,
    /// Mean |I_t| before the warp's solve, in mapped intensities.
    mean_abs_difference: f64,
    /// Why the linear solve ended.
    stop: StopReason,
    /// How much of the warp was taken, where cells are kept from folding.
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<Taken>,
}

/// The warps of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct WarpsDiagnostics {
    /// Spacing in voxels of the full grid `(x, y, z)`.
    spacing_vox: [f64; 3],
    /// The warps done.
    warps: Vec<WarpDiagnostics>,
    /// Why the warps ended.
    stop: StopReason,
    #[serde(skip)]
    asked: AskedTolerances,
}

/// The mean of a sum over a number of voxels.
fn mean(sum: f64, count: f64) -> f64 {
    if count > 0.0 { sum / count } else { 0.0 }
}

impl WarpRun {
    fn numbers(&mut self) -> impl Iterator<Item = &mut dyn Pending> {
        let own: [&mut dyn Pending; 2] = [&mut self.mean_increment_vox, &mut self.difference];
        self.solving.pending().chain(own)
    }

    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<WarpDiagnostics, ComputeError> {
        let solved = self.solving.settle_after(device, mark)?;
        let (difference, voxels) = self.difference.get_after(device, mark)?;
        Ok(WarpDiagnostics {
            relative_residuals: solved.relative_residuals,
            mean_increment_vox: self.mean_increment_vox.get_after(device, mark)?,
            mean_abs_difference: mean(difference, voxels),
            stop: solved.stop,
            taken: self.taken,
        })
    }
}

impl PendingLevel for PendingWarps {
    type Settled = WarpsDiagnostics;

    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        self.warps.iter_mut().flat_map(WarpRun::numbers).collect()
    }

    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<WarpsDiagnostics, ComputeError> {
        let warps =
            self.warps.into_iter().map(|warp| warp.settle(device, mark)).collect::<Result<Vec<_>, _>>()?;
        let trivial = warps.last().is_some_and(|w| w.stop == StopReason::Trivial);
        Ok(WarpsDiagnostics {
            spacing_vox: self.spacing_vox,
            stop: if trivial { StopReason::Trivial } else { self.stop },
            asked: self.asked,
            warps,
        })
    }
}

impl LevelDiagnostics for WarpsDiagnostics {
    const COLUMNS: &[&'static str] = &["warps", "iterations", "mean |Iₜ|", "last mean |δ|", "stopped"];

    fn cells(&self) -> Vec<DiagnosticCell> {
        let iterations = self.warps.iter().map(|w| w.relative_residuals.len().saturating_sub(1)).sum();
        let difference = |warp: Option<&WarpDiagnostics>| warp.map_or(f64::NAN, |w| w.mean_abs_difference);
        let (first, last) = (self.warps.first(), self.warps.last());
        let stop = match self.stop {
            StopReason::IterationLimit => "all warps done",
            other => other.text(),
        };
        vec![
            DiagnosticCell::Count(self.warps.len()),
            DiagnosticCell::Count(iterations),
            DiagnosticCell::Change(difference(first), difference(last)),
            DiagnosticCell::Number(last.map_or(f64::NAN, |w| w.mean_increment_vox)),
            DiagnosticCell::Text(stop.to_owned()),
        ]
    }

    fn curves(levels: &[LevelReport<Self>]) -> Vec<DiagnosticCurves> {
        let length = match levels.iter().all(|level| level.size[2] == 1) {
            true => "mean |δ|, px of the level",
            false => "mean |δ|, voxels of the level",
        };
        let over_warps = |value: fn(&WarpDiagnostics) -> f64, title, y_label| {
            let labels =
                DiagnosticCurves { title, x_label: "warp, coarse to fine", y_label, ..Default::default() };
            over_levels(levels, |level| level.warps.iter().map(value).collect(), labels)
        };
        let increments = over_warps(|warp| warp.mean_increment_vox, "Increment", length);
        vec![
            over_warps(|warp| warp.mean_abs_difference, "Brightness difference", "mean |Iₜ|"),
            DiagnosticCurves { is_logarithmic: true, ..increments },
            residuals(levels),
        ]
    }

    fn missed(levels: &[LevelReport<Self>]) -> Warnings {
        let stopped = |stop: StopReason| stop == StopReason::IterationLimit;
        let (mut warps, mut solves) = (Missed::default(), Missed::default());
        for LevelReport { own: level, .. } in levels {
            warps.count(level.asked.warp_tol, stopped(level.stop));
            level.warps.iter().for_each(|warp| solves.count(level.asked.rtol, stopped(warp.stop)));
        }
        let mut warnings = Warnings::new();
        for (Missed { tolerance, missed, of }, name, what, advice) in [
            (warps, "warp_tol", "levels", "warp_tol, warps or finest_warps"),
            (solves, "rtol", "linear solves", "rtol, or iterations"),
        ] {
            if missed > 0 {
                let message =
                    format!("{missed} of {of} {what} did not reach {name} {tolerance:e}: raise {advice}");
                warnings.push(WarningKind::Convergence, message);
            }
        }
        warnings
    }
}

fn residuals(levels: &[LevelReport<WarpsDiagnostics>]) -> DiagnosticCurves {
    let finest = levels.len().saturating_sub(1).max(1) as f64;
    let mut curves = Vec::new();
    // A solve of one iteration has no curve.
    let is_curve = |warp: &WarpDiagnostics| warp.relative_residuals.len() > 2;
    let drawn = |level: &&LevelReport<WarpsDiagnostics>| level.own.warps.iter().any(is_curve);
    for (l, level) in levels.iter().filter(drawn).enumerate() {
        for (w, warp) in level.own.warps.iter().enumerate() {
            let points = warp.relative_residuals.iter().enumerate().map(|(i, &r)| [i as f64, r]).collect();
            let size = (w == 0).then_some(level.size);
            curves.push(DiagnosticCurve { size, shade: Some(l as f64 / finest), pieces: vec![points] });
        }
    }
    DiagnosticCurves {
        title: "Residual of each warp's solve",
        x_label: "iteration",
        y_label: "‖r‖ / ‖r₀‖",
        is_logarithmic: true,
        curves,
        ..Default::default()
    }
}
