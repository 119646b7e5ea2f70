//! The end of a stream, from another thread.

use crate::film::FilmProcess;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Ends a stream that waits for frames, from another thread.
#[derive(Debug, Clone, Default)]
pub struct StreamEnd {
    has_come: Arc<AtomicBool>,
    /// The process that decodes the frames, where there is one.
    film: Weak<FilmProcess>,
}

impl StreamEnd {
    /// The stream ends before its next frame.
    pub fn end(&self) {
        self.has_come.store(true, Ordering::Relaxed);
        if let Some(film) = self.film.upgrade() {
            film.end();
        }
    }

    /// The end of a stream that a process decodes.
    pub(crate) fn of_film(film: &Arc<FilmProcess>) -> Self {
        Self { film: Arc::downgrade(film), ..Self::default() }
    }

    /// Whether the end has come.
    pub(crate) fn has_come(&self) -> bool {
        self.has_come.load(Ordering::Relaxed)
    }
}
