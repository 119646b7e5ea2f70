//! The header of every report, and the conversion of reports to JSON, whose keys scripts may rely on.

use crate::error::ReportError;
use serde::{Deserialize, Serialize};
use veloxel_core::{Dimension, Grid, StageTime, Warnings};

/// The header of the report of every run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Version of Veloxel that ran.
    pub veloxel_version: String,
    /// The command as typed, or an equivalent call.
    pub command_line: String,
    /// The method's name: `clg`, `phase`, `phase-stereo`, `phase-features`, `phase-engine`.
    pub method: String,
    /// The preset that the parameters started from.
    pub preset: Option<String>,
    /// The device that computed.
    pub device: DeviceReport,
    /// Every parameter as used, after preset, file and command line.
    pub parameters: serde_json::Value,
    /// Files that were read.
    pub inputs: Vec<InputReport>,
    /// Wall-clock time of each stage.
    pub stage_times: Vec<StageTime>,
    /// All warnings for the user, from readers and solvers.
    pub warnings: Warnings,
}

/// A report as indented JSON with a final line break. Keys are only ever added; numbers that are not finite become `null`.
///
/// # Errors
/// [`ReportError::Json`] if the parameters cannot be written as JSON.
pub fn to_json(report: &impl Serialize) -> Result<String, ReportError> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

/// The device that ran, and why it did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// The device's own name.
    pub name: String,
    /// One sentence: the device was requested, or it was the fastest one present, and why others were not used.
    pub chosen_because: String,
    /// Threads used on the processor.
    pub threads: usize,
}

/// One file that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputReport {
    /// Role of the file: `fixed`, `moving`, `truth`, `mask`, ….
    pub role: String,
    /// Path of the file.
    pub path: String,
    /// Its format.
    pub format: String,
    /// 2-D or 3-D.
    pub dimension: Dimension,
    /// Voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
    /// Millimetres between neighbours `(x, y, z)`.
    pub spacing_mm: [f64; 3],
}

impl InputReport {
    /// Describes a file that holds samples on `grid`.
    pub fn new(role: &str, path: &str, format: &str, grid: &Grid) -> Self {
        Self {
            role: role.to_owned(),
            path: path.to_owned(),
            format: format.to_owned(),
            dimension: grid.dimension(),
            size: grid.size(),
            spacing_mm: grid.spacing_mm(),
        }
    }
}
