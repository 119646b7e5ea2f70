//! A run over the rows of a plan: workers take rows in their order, and each row that ended is in the ledger before it is told.

use super::check::BatchPlan;
use super::ledger::Ledger;
use super::rows::{JobRow, JobsSource};
use super::summary::{write_description, write_summary};
use super::work::{Work, work};
use crate::{Result, Session, VeloxelError};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use veloxel_core::{Counter, Diagnosis, ErrorKind, Stage};
use veloxel_report::{BatchReport, BatchRow, RowStatus};

/// How a face words errors, and what it is told.
#[derive(Clone, Copy)]
pub struct BatchFace<'a> {
    /// The sentence of an error that failed a row.
    pub reason: &'a (dyn Fn(&JobRow, &VeloxelError) -> String + Sync),
    /// Takes every row that ended; calls do not overlap, and the run waits for them.
    pub row_ended: &'a (dyn Fn(&BatchProgress<'_>) + Sync),
}

/// A row that ended, and how far the run is.
#[derive(Debug, Clone, Copy)]
pub struct BatchProgress<'a> {
    /// The row's record.
    pub record: &'a BatchRow,
    /// Rows that this run has ended.
    pub ended: usize,
    /// Those of them that failed.
    pub failed: usize,
    /// Rows that this run is for.
    pub of: usize,
    /// What the rest will take if it goes on at the same speed, milliseconds.
    pub left_ms: f64,
}

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
        let queue = Queue::new(self.to_run());
        let of = queue.rows.len();
        let tally = Tally { ledger, ended: 0, failed: 0, since: Instant::now() };
        let shared = Shared { plan: self, lead, face, queue, tally: Mutex::new(tally) };
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
        let ended = shared.tally.into_inner().unwrap_or_else(PoisonError::into_inner).ended;
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

/// The rows that are left.
struct Queue {
    rows: Vec<usize>,
    next: AtomicUsize,
}

impl Queue {
    fn new(rows: Vec<usize>) -> Self {
        Self { rows, next: AtomicUsize::new(0) }
    }

    fn take(&self) -> Option<usize> {
        self.rows.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }
}

/// What the workers of a run share.
pub(super) struct Shared<'a> {
    pub plan: &'a BatchPlan<'a>,
    pub lead: &'a Session,
    pub face: BatchFace<'a>,
    queue: Queue,
    tally: Mutex<Tally>,
}

struct Tally {
    ledger: Ledger,
    ended: usize,
    failed: usize,
    since: Instant,
}

impl Work for Shared<'_> {
    fn next(&self) -> Option<usize> {
        if self.lead.control().is_stopped() { None } else { self.queue.take() }
    }

    fn end(&self, record: &BatchRow) -> Result<()> {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let appended = tally.ledger.append(record);
        if appended.is_err() {
            // What is done from here on would be done again.
            self.lead.control().stop();
        }
        appended?;
        tally.ended += 1;
        tally.failed += usize::from(record.status == RowStatus::Failed);
        let (ended, of) = (tally.ended, self.queue.rows.len());
        let elapsed_ms = tally.since.elapsed().as_secs_f64() * 1e3;
        let left_ms = elapsed_ms / ended as f64 * (of - ended) as f64;
        let progress = BatchProgress { record, ended, failed: tally.failed, of, left_ms };
        (self.face.row_ended)(&progress);
        // A stop is seen before the next row.
        let _ = self.tell_progress(ended);
        Ok(())
    }
}

impl Shared<'_> {
    fn tell_progress(&self, ended: usize) -> Result<(), veloxel_core::Stopped> {
        let of = self.queue.rows.len();
        let counter = Counter { what: "row", now: ended, of };
        self.lead.control().step(ended as f64 / of.max(1) as f64, [Some(counter), None])
    }
}
