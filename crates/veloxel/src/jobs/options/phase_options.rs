//! The options that the runs of the phase engine share, beside their images.

use crate::jobs::DenseMethodOptions;
use crate::pipelines::account::Account;
use veloxel_core::parameters::ParameterError;
use veloxel_io::ReadOptions;
use veloxel_report::{InputReport, RunHeader};

/// A phase-based method, and how files are read.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseOptions {
    /// The method and its parameters.
    pub method: DenseMethodOptions,
    /// How files are read.
    pub reading: ReadOptions,
    /// The command as typed, for the report.
    pub command_line: String,
}

impl PhaseOptions {
    /// The default preset, and files as they are usually read.
    ///
    /// # Errors
    /// [`ParameterError`] should not occur.
    pub fn new() -> Result<Self, ParameterError> {
        let (reading, command_line) = (ReadOptions::default(), String::new());
        Ok(Self { method: DenseMethodOptions::named("phase")?, reading, command_line })
    }

    /// The beginning of a report; `method` is the command's own name for what it does.
    pub(crate) fn header(&self, method: &str, account: Account, inputs: Vec<InputReport>) -> RunHeader {
        RunHeader {
            veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: self.command_line.clone(),
            method: method.to_owned(),
            preset: Some(self.method.preset_name().to_owned()),
            device: account.device,
            parameters: account.parameters.into(),
            inputs,
            stage_times: account.stages.0,
            warnings: account.warnings,
        }
    }
}
