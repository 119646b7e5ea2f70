//! The observer of jobs that open their own session.

use crate::following::{Bar, Ending, Following};
use std::sync::Arc;
use veloxel::Observer;

/// Makes observers for jobs that open their own session.
pub struct Progress;

impl Progress {
    /// As jobs take it.
    pub fn shared(quiet: bool) -> Option<Arc<dyn Observer>> {
        let bar = if quiet { Bar::Hidden } else { Bar::Shown };
        Some(Arc::new(Following::new(bar, Ending::Discards)))
    }
}
