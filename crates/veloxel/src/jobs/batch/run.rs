//! A run over the rows of a plan: workers take rows in their order, and each row that ended is in the ledger before it is told.

use super::check::BatchPlan;
use super::ledger::Ledger;
use super::rows::JobsSource;
use super::shared::{BatchFace, Shared};
use super::summary::{write_description, write_summary};
use super::work::work;
use crate::{Result, Session};
use veloxel_core::{Diagnosis, ErrorKind, Stage};
use veloxel_report::{BatchReport, BatchRow, RowStatus};

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRun {
    /// What became of all rows, those of earlier runs and of other shards as well: what the summary holds.
    pub report: BatchReport,
    /// Rows that this run ended.
    pub ended: usize,
    /// Rows that this run was for.
    pub of: usize,
    /// Rows of this run's shard that have failed, in earlier runs as well.
    pub failed: usize,
    /// Whether it was stopped before all of them had ended.
    pub is_stopped: bool,
}

impl BatchPlan<'_> {
    /// Runs the rows that are to be run, each on the first of the `workers` that is free, and writes `summary.json` and
    /// `summary.html` into the folder. A row that fails has its reason in the ledger, and the others go on.
    ///
    /// The observer of `lead` follows and stops the run: it is told which row ended, and rows that are under way when it stops are
    /// as if they had not begun.
    ///
    /// # Errors
    /// [`IoError::Busy`](veloxel_io::IoError::Busy) while another run has this shard's ledger; whatever keeps ledger or summary from
    /// being written.
    pub fn run(&self, lead: &Session, workers: &[Session], face: BatchFace<'_>) -> Result<BatchRun> {
        let job = self.job;
        std::fs::create_dir_all(&job.folder).map_err(veloxel_io::IoError::write(&job.folder))?;
        let ledger = Ledger::open(&job.folder, &job.jobs, job.shard)?;
        if job.source == JobsSource::Bids {
            write_description(&job.folder, lead)?;
        }
        let shared = Shared::new(self, lead, face, ledger);
        let of = shared.row_count();
        // A stop before the first row is seen by the workers.
        let _ = lead.enter(Stage::Solve).and_then(|()| shared.tell_progress(0));
        let outcomes: Vec<Result<()>> = std::thread::scope(|scope| {
            let shared = &shared;
            let on = |session| scope.spawn(move || work(shared, session));
            let threads: Vec<_> = workers.iter().map(on).collect();
            let end = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().expect("a worker should catch the panics of its rows")
            };
            threads.into_iter().map(end).collect()
        });
        let ended = shared.into_ended();
        // The ledger is closed: another run may go on while the summary is written.
        let report = write_summary(job, lead)?;
        let mut failures = outcomes.into_iter().filter_map(Result::err);
        match failures.find(|error| error.kind() != ErrorKind::Stopped) {
            Some(error) => Err(error),
            None => {
                let is_failed =
                    |record: &&BatchRow| record.status == RowStatus::Failed && job.shard.holds(record.row);
                let failed = report.records.iter().filter(is_failed).count();
                Ok(BatchRun { report, ended, of, failed, is_stopped: ended < of })
            }
        }
    }
}
