//! What a run says about itself, beside its field.

use crate::Warnings;
use serde::Serialize;

/// Why a level's or a solve's iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The tolerance was reached.
    Converged,
    /// A fixed count was asked for and done.
    FixedCount,
    /// The limit came first: a status that faces must show.
    IterationLimit,
    /// There was nothing to do (equal or constant images).
    Trivial,
}

/// One warp: the data term linearised around the present field, and the increment solved for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WarpReport {
    /// ‖r‖/‖r₀‖ after each iteration (V-cycle or sweep batch), the first entry 1.
    pub relative_residuals: Vec<f64>,
    /// Mean |δ| over the grid, voxels of this level.
    pub mean_increment_vox: f64,
    /// Mean |I_t| before the warp's solve, in mapped intensities.
    pub mean_abs_difference: f64,
    /// Why the linear solve ended.
    pub stop: StopReason,
}

/// One pyramid level, coarse to fine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelReport {
    /// Voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
    /// Spacing in voxels of the full grid `(x, y, z)`.
    pub spacing_vox: [f64; 3],
    /// The warps done.
    pub warps: Vec<WarpReport>,
    /// Why the warps ended.
    pub stop: StopReason,
    /// Wall-clock time.
    pub time_ms: f64,
}

/// Statistics of det(I + ∇d).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct JacobianReport {
    /// Smallest determinant.
    pub min: f64,
    /// Largest determinant.
    pub max: f64,
    /// Share of voxels with det ≤ 0: folding.
    pub share_folded: f64,
    /// Mean |det − 1| (within the mask, where one was given).
    pub mean_abs_minus_one: f64,
    /// Root mean square of div d, per voxel.
    pub divergence_rms: f64,
}

/// Mean |I_t| before and after, in mapped intensities, where both images have data.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct BrightnessReport {
    /// With no motion (or the initial field).
    pub mean_abs_before: f64,
    /// With the field found.
    pub mean_abs_after: f64,
}

/// Time of one stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageTime {
    /// The stage, as in the data flow: `load`, `prepare`, `solve`, `measure`, `write`.
    pub stage: String,
    /// Wall-clock time.
    pub time_ms: f64,
}

/// How a whole run ended: not converging is a status to show, not a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolveStatus {
    /// Every solve reached its tolerance, or the fixed counts asked for were done.
    Done,
    /// At least one solve or level stopped at its limit.
    LimitReached,
    /// An image without contrast: the zero field with confidence 0.
    NoContent,
}

/// Everything an estimator says beside its field and confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowStatistics {
    /// How it ended.
    pub status: SolveStatus,
    /// Levels, coarse to fine.
    pub levels: Vec<LevelReport>,
    /// Data agreement before and after.
    pub brightness: BrightnessReport,
    /// The field's Jacobian.
    pub jacobian: JacobianReport,
    /// Mean composed forward-backward residual (voxels), where both directions were solved.
    pub inverse_residual_vox: Option<f64>,
    /// What a user should know.
    pub warnings: Warnings,
}
