//! What the workers of a run share: the rows that are left, the ledger, and whom they tell.

use super::check::BatchPlan;
use super::ledger::Ledger;
use super::rows::JobRow;
use crate::{Result, Session, VeloxelError};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use veloxel_core::{Counter, Stopped};
use veloxel_report::{BatchRow, RowStatus};

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
    /// How many of these failed.
    pub failed: usize,
    /// Rows that this run is for.
    pub of: usize,
    /// What the rest will take if it goes on at the same speed, milliseconds.
    pub left_ms: f64,
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

impl<'a> Shared<'a> {
    pub fn new(plan: &'a BatchPlan<'a>, lead: &'a Session, face: BatchFace<'a>, ledger: Ledger) -> Self {
        let tally = Tally { ledger, ended: 0, failed: 0, since: Instant::now() };
        Self { plan, lead, face, queue: Queue::new(plan.to_run()), tally: Mutex::new(tally) }
    }

    /// Rows of the run.
    pub fn row_count(&self) -> usize {
        self.queue.rows.len()
    }

    /// Rows that ended. The ledger is closed.
    pub fn into_ended(self) -> usize {
        self.tally.into_inner().unwrap_or_else(PoisonError::into_inner).ended
    }

    /// The place of the next row, from 0; none once there is none, or the run is stopped.
    pub fn next(&self) -> Option<usize> {
        if self.lead.control().is_stopped() { None } else { self.queue.take() }
    }

    /// Records a row that ended, and tells of it.
    ///
    /// # Errors
    /// The ledger cannot be written; the run is stopped then.
    pub fn end(&self, record: &BatchRow) -> Result<()> {
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

    /// Tells the observer of the lead how many rows have ended.
    pub fn tell_progress(&self, ended: usize) -> Result<(), Stopped> {
        let of = self.queue.rows.len();
        let counter = Counter { what: "row", now: ended, of };
        self.lead.control().step(ended as f64 / of.max(1) as f64, [Some(counter), None])
    }
}
