//! The progress of one of several tasks.

use veloxel_motion::{Observer, Step};

/// One of several tasks of a run, in the run's own count.
pub(super) struct Part<'a> {
    pub observer: &'a dyn Observer,
    pub nth: usize,
    pub count: usize,
}

impl Observer for Part<'_> {
    fn step(&self, step: Step) {
        let done = (self.nth as f64 + step.done) / self.count as f64;
        self.observer.step(Step { done, ..step });
    }
}
