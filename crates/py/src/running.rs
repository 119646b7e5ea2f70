//! Runs a pipeline beside the interpreter: its lock is free meanwhile, Ctrl-C stops the run, and progress is told.

use crate::error::{InternalError, exception};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use veloxel::{Observer, Session, Step, VeloxelError};

/// Time between two looks at signals and progress.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Where the run stands, and whether it is to stop.
#[derive(Default)]
pub struct Watcher {
    /// Whether the next step of the run is to be its last.
    pub is_to_stop: AtomicBool,
    latest: Mutex<Option<Step>>,
}

impl Observer for Watcher {
    fn step(&self, step: Step) -> ControlFlow<()> {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(step);
        if self.is_to_stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Watcher {
    fn take(&self) -> Option<Step> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Does the work on a thread of its own, and waits for it without the interpreter's lock.
///
/// `progress` is called on this thread with the stage's word and the share of it that is done, at most fifty times a second; an
/// exception that it raises, or a signal, stops the work and is raised here.
pub fn run<T: Send>(
    py: Python<'_>,
    session: &Session,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Session) -> Result<T, VeloxelError> + Send,
) -> PyResult<T> {
    let watcher = Arc::new(Watcher::default());
    session.follow(Some(watcher.clone()));
    let (outcome, raised) = std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        let worker = scope.spawn(move || {
            // Dropped at the end of the work, however it ends.
            let _done = done;
            work(session)
        });
        let Waited { raised, .. } = wait_for(py, &Mutex::new(wait), &watcher, progress);
        (py.detach(|| worker.join()), raised)
    });
    session.follow(None);
    if let Some(raised) = raised {
        return Err(raised);
    }
    match outcome {
        Ok(found) => found.map_err(|error| exception(&error)),
        Err(_) => {
            Err(InternalError::new_err("the run panicked: please report it, with what standard error says"))
        }
    }
}

/// What came of waiting: the news, none where the other end is gone, and what was raised meanwhile.
pub struct Waited<T> {
    pub news: Option<T>,
    pub raised: Option<PyErr>,
}

/// Waits without the interpreter's lock until there are news, and looks after signals and progress meanwhile; what is raised tells
/// the watcher to stop the run.
pub fn wait_for<T: Send>(
    py: Python<'_>,
    wait: &Mutex<Receiver<T>>,
    watcher: &Watcher,
    progress: Option<&Bound<'_, PyAny>>,
) -> Waited<T> {
    let mut raised = None;
    loop {
        let news = py.detach(|| wait.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK_EVERY));
        if !matches!(news, Err(RecvTimeoutError::Timeout)) {
            return Waited { news: news.ok(), raised };
        }
        if raised.is_none() {
            let looked = py.check_signals().and_then(|()| tell(progress, watcher.take()));
            raised = looked.err();
            watcher.is_to_stop.store(raised.is_some(), Ordering::Relaxed);
        }
    }
}

fn tell(progress: Option<&Bound<'_, PyAny>>, step: Option<Step>) -> PyResult<()> {
    if let (Some(progress), Some(step)) = (progress, step) {
        progress.call1((step.stage.word(), step.done))?;
    }
    Ok(())
}
