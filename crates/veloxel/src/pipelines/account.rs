//! What a run says beside its results: the device, times by stage, warnings, and the parameters in force.

use crate::{Result, Session};
use std::time::Instant;
use veloxel_core::parameters::ParameterValues;
use veloxel_core::{StageTime, Warnings};
use veloxel_motion::ErrorCurves;
use veloxel_report::DeviceReport;

/// The account of a run: everything that a report's header says beside inputs and command line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    /// The device, and why it was chosen.
    pub device: DeviceReport,
    /// Wall-clock times by stage, in the order of their first call.
    pub stages: Stages,
    /// What was assumed, changed or left out.
    pub warnings: Warnings,
    /// Names and values of the method's parameters, as used.
    pub parameters: ParameterValues,
    /// What a confidence of a dense method says of the error; none of other pipelines, and of methods that were not measured.
    pub errors: Option<ErrorCurves>,
}

impl Account {
    /// The account of a run that begins.
    ///
    /// # Errors
    /// As [`Session::device`].
    pub fn begin(session: &Session) -> Result<Self> {
        Ok(Self { device: session.device_report()?.clone(), ..Self::default() })
    }

    /// Takes over the account of what followed: its device and parameters, its times and its warnings.
    pub fn absorb(&mut self, next: Self) {
        (self.device, self.parameters, self.errors) = (next.device, next.parameters, next.errors);
        self.stages.merge(next.stages);
        self.warnings.extend(next.warnings);
    }
}

/// Wall-clock times by stage, in the order of their first call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stages(pub Vec<StageTime>);

impl Stages {
    /// Does the work and adds its time to the stage.
    pub fn time<R>(&mut self, stage: &str, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.add(stage, start.elapsed().as_secs_f64() * 1e3);
        result
    }

    /// Adds time to a stage.
    pub fn add(&mut self, stage: &str, time_ms: f64) {
        match self.0.iter_mut().find(|s| s.stage == stage) {
            Some(known) => known.time_ms += time_ms,
            None => self.0.push(StageTime { stage: stage.to_owned(), time_ms }),
        }
    }

    /// Adds another's times.
    pub fn merge(&mut self, other: Self) {
        other.0.iter().for_each(|s| self.add(&s.stage, s.time_ms));
    }

    /// The sum of all stages, milliseconds.
    pub fn total_ms(&self) -> f64 {
        self.0.iter().map(|s| s.time_ms).sum()
    }
}
