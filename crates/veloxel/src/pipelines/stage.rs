//! How long each stage takes.

use std::time::Instant;
use veloxel_core::StageTime;

/// Wall-clock times by stage, in the order of their first call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stages(Vec<StageTime>);

impl Stages {
    /// Does the work and adds its time to the stage.
    pub fn time<R>(&mut self, stage: &str, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        let time_ms = start.elapsed().as_secs_f64() * 1e3;
        match self.0.iter_mut().find(|s| s.stage == stage) {
            Some(known) => known.time_ms += time_ms,
            None => self.0.push(StageTime { stage: stage.to_owned(), time_ms }),
        }
        result
    }

    pub fn into_times(self) -> Vec<StageTime> {
        self.0
    }
}
