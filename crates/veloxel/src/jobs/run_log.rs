//! Stage times and warnings of a run, and what it comes to.

use std::path::PathBuf;
use std::time::Instant;
use veloxel_core::{StageTime, Warnings};
use veloxel_report::DeviceReport;

/// What a run has to say, and the files that it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRun<R> {
    /// As in `report.json`.
    pub report: R,
    /// Role and path of every file or folder, in the order of the command's outputs.
    pub written: Vec<(&'static str, PathBuf)>,
}

/// What the header of a report is made of, beside the options of the run.
pub(crate) struct RunLog {
    pub device: DeviceReport,
    pub stages: Stages,
    pub warnings: Warnings,
}

/// Wall-clock times by stage, in the order of their first call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stages(pub Vec<StageTime>);

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

    pub fn total_ms(&self) -> f64 {
        self.0.iter().map(|s| s.time_ms).sum()
    }
}
