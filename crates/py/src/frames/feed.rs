//! Frames of a source, one after the other, as a class.

use crate::error::{InputError, exception};
use crate::fields::flow::told;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, TryLockError};
use veloxel::Session as Library;
use veloxel::io::ReadOptions;
use veloxel::jobs::{FrameFeed, FramesTaken};

/// A source that is being read, and the session under which that happens.
struct Open {
    feed: FrameFeed,
    session: Library,
}

/// Frames of a file, a film, a camera, an address, a folder or a pattern.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct Frames {
    /// The open source; it is gone once it is closed, or its last frame was taken.
    open: Mutex<Option<Open>>,
    interval_ms: Mutex<Option<f64>>,
    dropped: Mutex<usize>,
}

/// A frame, its time in milliseconds where the source says so, and warnings.
type Next = Option<(Image, Option<f64>, Py<PyList>)>;

#[pymethods]
impl Frames {
    /// Opens a source; `newest`: frames that come faster than they are taken are dropped.
    #[new]
    fn new(py: Python<'_>, session: &Bound<'_, Session>, source: PathBuf, newest: bool) -> PyResult<Self> {
        let own = session.get().library()?.beside().map_err(|error| exception(&error))?;
        let taken = if newest { FramesTaken::Newest } else { FramesTaken::All };
        let feed = run(py, &own, None, |own| FrameFeed::open(&source, taken, ReadOptions::default(), own))?;
        let interval_ms = Mutex::new(feed.interval_ms());
        Ok(Self { open: Mutex::new(Some(Open { feed, session: own })), interval_ms, dropped: Mutex::new(0) })
    }

    /// The next frame; none at the end, and once it is closed. What fails ends the frames.
    fn next(&self, py: Python<'_>) -> PyResult<Next> {
        let mut kept = match self.open.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::Poisoned(kept)) => kept.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(InputError::new_err(
                    "another thread waits for a frame: frames come one after the other",
                ));
            }
        };
        let Some(Open { feed, session }) = kept.as_mut() else { return Ok(None) };
        let next = run(py, session, None, |session| feed.next_frame(session));
        *self.interval_ms.lock().unwrap_or_else(PoisonError::into_inner) = feed.interval_ms();
        *self.dropped.lock().unwrap_or_else(PoisonError::into_inner) = feed.dropped();
        match next {
            Ok(Some(frame)) => {
                let warnings = told(py, frame.warnings.urgent())?.unbind();
                Ok(Some((Image::of(frame.image), frame.time_ms, warnings)))
            }
            Ok(None) => {
                *kept = None;
                Ok(None)
            }
            Err(error) => {
                *kept = None;
                Err(error)
            }
        }
    }

    /// Milliseconds between frames, as far as is known.
    #[getter]
    fn interval_ms(&self) -> Option<f64> {
        *self.interval_ms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frames that were dropped for newer ones.
    #[getter]
    fn dropped(&self) -> usize {
        *self.dropped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the frames, and the process that decodes them.
    fn close(&self, py: Python<'_>) {
        // Whoever waits for a frame is left to it.
        if let Ok(mut open) = self.open.try_lock() {
            let open = open.take();
            py.detach(|| drop(open));
        }
    }
}
