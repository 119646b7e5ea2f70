//! A worker: one session that runs row after row, while another thread reads the files of the next one.

use super::files::{input_state, output_state};
use super::row_job::{LoadedRow, RowFound};
use super::rows::JobRow;
use super::shared::Shared;
use crate::{Result, Session, VeloxelError};
use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Instant;
use veloxel_core::{Control, Observer, Step, Stopped};
use veloxel_report::{BatchRow, RowFile, RowStatus};

/// Asks a run whether its rows are to go on.
struct OfRun(Control);

impl Observer for OfRun {
    fn step(&self, _: Step) -> ControlFlow<()> {
        if self.0.check().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// A row whose files were read, or could not be.
struct Read {
    nth: usize,
    inputs: Vec<RowFile>,
    loaded: Result<LoadedRow, Failure>,
    time_ms: f64,
}

/// Why a row has no result.
enum Failure {
    /// Its job failed.
    Error(VeloxelError),
    /// A promise of ours is broken.
    Panic(String),
}

/// A row that is being read.
enum Ahead<'scope> {
    Thread(ScopedJoinHandle<'scope, Read>),
    /// Where there are no threads any more, it was read at once.
    Done(Read),
}

impl Ahead<'_> {
    fn wait(self) -> Read {
        match self {
            Self::Thread(thread) => thread.join().expect("reading should catch its panics"),
            Self::Done(read) => read,
        }
    }
}

/// Runs rows on a session until there are none, or the run is stopped.
///
/// # Errors
/// [`VeloxelError::Stopped`]; the ledger cannot be written.
pub(super) fn work(shared: &Shared<'_>, session: &Session) -> Result<()> {
    session.follow(Some(Arc::new(OfRun(shared.lead.control().clone()))));
    let outcome = std::thread::scope(|scope| {
        let mut ahead = begin(shared, session, scope);
        while let Some(reading) = ahead {
            let read = reading.wait();
            ahead = begin(shared, session, scope);
            end(shared, session, read)?;
        }
        Ok(())
    });
    session.follow(None);
    outcome
}

/// Begins to read the next row.
fn begin<'scope>(
    shared: &'scope Shared<'scope>,
    session: &'scope Session,
    scope: &'scope Scope<'scope, '_>,
) -> Option<Ahead<'scope>> {
    let nth = shared.next()?;
    let read = move || read(shared, session, nth);
    Some(match Builder::new().spawn_scoped(scope, read) {
        Ok(thread) => Ahead::Thread(thread),
        Err(_) => Ahead::Done(read()),
    })
}

fn read(shared: &Shared<'_>, session: &Session, nth: usize) -> Read {
    let start = Instant::now();
    let row = &shared.plan.job.rows[nth];
    // Looked at before it is read: what changes meanwhile differs from then on.
    let inputs = match row.job.plan(session) {
        Ok(plan) => plan.read_paths().map(|path| input_state(path)).collect(),
        Err(_) => Vec::new(),
    };
    let loaded = caught(|| {
        let beside = session.beside()?;
        beside.follow(Some(Arc::new(OfRun(shared.lead.control().clone()))));
        row.job.load(&beside)
    });
    Read { nth, inputs, loaded, time_ms: start.elapsed().as_secs_f64() * 1e3 }
}

/// Runs a row that was read, and records what became of it.
fn end(shared: &Shared<'_>, session: &Session, read: Read) -> Result<()> {
    let Read { nth, inputs, loaded, time_ms } = read;
    let row = &shared.plan.job.rows[nth];
    let start = Instant::now();
    let found = loaded.and_then(|loaded| caught(|| row.job.run(loaded, session)));
    let time_ms = time_ms + start.elapsed().as_secs_f64() * 1e3;
    let found = match found {
        // Whatever a job makes of a stop: the row is as if it had not begun.
        Err(_) if shared.lead.control().is_stopped() => return Err(Stopped.into()),
        found => found.map_err(|failure| reason(shared, row, &failure)),
    };
    let device = session.device().map(|device| device.info().name).unwrap_or_default();
    let mut record = BatchRow {
        row: row.row,
        job: row.text.clone(),
        status: RowStatus::Failed,
        reason: None,
        time_ms,
        device,
        veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
        figures: Default::default(),
        warnings: Vec::new(),
        inputs,
        outputs: Vec::new(),
        picture: None,
    };
    match found {
        Ok(RowFound { figures, picture, warnings, written }) => {
            let state = |(role, path): &(crate::jobs::OutputRole, std::path::PathBuf)| {
                output_state(role.text(), path, &shared.plan.job.folder)
            };
            record.status = RowStatus::Done;
            record.outputs = written.iter().map(state).collect();
            record.warnings = warnings.urgent().map(|warning| warning.message.clone()).collect();
            (record.figures, record.picture) = (figures, picture);
        }
        Err(reason) => record.reason = Some(reason),
    }
    shared.end(&record)
}

fn reason(shared: &Shared<'_>, row: &JobRow, failure: &Failure) -> String {
    match failure {
        Failure::Error(error) => (shared.face.reason)(row, error),
        Failure::Panic(text) => format!("a promise of Veloxel is broken: {text}: please report it"),
    }
}

/// Does work whose panic fails its row alone.
fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome.map_err(Failure::Error),
        Err(panic) => Err(Failure::Panic(said(&*panic))),
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}
