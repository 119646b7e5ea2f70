//! What a run reports beside its flow and its confidence, in terms that no method owns.

use crate::warning::Warnings;
use serde::{Deserialize, Serialize};

/// Statistics of det(I + ∇d).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
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

/// A gain and an offset of an image's samples v: gain · v + offset.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinearBrightness {
    /// Without a unit.
    pub gain: f32,
    /// In the samples' unit.
    pub offset: f32,
}

impl LinearBrightness {
    /// What a sample becomes.
    pub fn of(&self, sample: f32) -> f32 {
        self.gain * sample + self.offset
    }
}

/// Mean |I_t| before and after, in mapped intensities, where both images have data.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BrightnessReport {
    /// With no motion (or the initial field).
    pub mean_abs_before: f64,
    /// With the field found.
    pub mean_abs_after: f64,
    /// What the moving image's samples became before they were compared; none: they were compared as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moving: Option<LinearBrightness>,
}

/// Time of one stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// The stage, as in the data flow: `load`, `prepare`, `solve`, `measure`, `write`.
    pub stage: String,
    /// Wall-clock time.
    pub time_ms: f64,
}

/// How a whole run ended: a tolerance that was missed is a status to show, not a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolveStatus {
    /// The schedule ran as planned, and every tolerance that was asked for was reached.
    #[default]
    Done,
    /// At least one solve or level missed a tolerance that was asked for.
    LimitReached,
    /// An image without contrast: the zero field with confidence 0.
    NoContent,
}

impl SolveStatus {
    /// The status in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::LimitReached => "tolerance not reached",
            Self::NoContent => "no contrast to follow",
        }
    }
}

/// Everything that a method reports beside its flow and its confidence.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FlowStatistics {
    /// How the run ended.
    pub status: SolveStatus,
    /// Data agreement before and after.
    pub brightness: BrightnessReport,
    /// The field's Jacobian.
    pub jacobian: JacobianReport,
    /// Mean composed forward-backward residual (voxels), where both directions were estimated.
    pub inverse_residual_vox: Option<f64>,
    /// Warnings for the user.
    pub warnings: Warnings,
    /// The method's own diagnostics.
    #[serde(flatten)]
    pub method: MethodDiagnostics,
}

/// What a method reports of its own run, in a form that reports show without knowing the method.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MethodDiagnostics {
    /// The method's own keys in a report's JSON, such as `levels`.
    #[serde(flatten)]
    pub json: serde_json::Map<String, serde_json::Value>,
    /// Milliseconds that the device spent, where the method measures them.
    #[serde(skip)]
    pub device_ms: Option<f64>,
    /// A table for people: one row a pyramid level, or whatever the method works through.
    #[serde(skip)]
    pub table: Option<DiagnosticTable>,
    /// Curves for people: how the run converged.
    #[serde(skip)]
    pub curves: Vec<DiagnosticCurves>,
}

/// A table of diagnostics; the first column names the row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiagnosticTable {
    /// What the columns hold.
    pub head: Vec<&'static str>,
    /// The rows, each with one cell a column.
    pub rows: Vec<Vec<DiagnosticCell>>,
}

/// A cell of a [`DiagnosticTable`].
#[derive(Debug, Clone, PartialEq)]
pub enum DiagnosticCell {
    /// Words.
    Text(String),
    /// Any number.
    Number(f64),
    /// A count.
    Count(usize),
    /// A change from one number to another one.
    Change(f64, f64),
    /// Milliseconds.
    DurationMs(f64),
    /// Voxels per axis `(x, y, z)`.
    Size([usize; 3]),
}

/// Curves that share their axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiagnosticCurves {
    /// What they show.
    pub title: &'static str,
    /// What runs along x.
    pub x_label: &'static str,
    /// What runs along y, with its unit.
    pub y_label: &'static str,
    /// Whether y is drawn on a logarithmic scale; else it begins at 0.
    pub is_logarithmic: bool,
    /// One curve each, in order.
    pub curves: Vec<DiagnosticCurve>,
    /// Parts of the x axis, one after the other.
    pub sections: Vec<DiagnosticSection>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiagnosticCurve {
    /// Voxels per axis of the level that it belongs to, where it should be named.
    pub size: Option<[usize; 3]>,
    /// Where the curve's colour lies between that of the first (0) and that of the last level (1); without a shade it has the
    /// plain colour.
    pub shade: Option<f64>,
    /// Points `[x, y]`, in pieces that are not joined.
    pub pieces: Vec<Vec<[f64; 2]>>,
}

/// A part of the x axis that belongs to one level.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagnosticSection {
    /// Where it begins and ends.
    pub x_range: [f64; 2],
    /// The level's voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
}
