//! A progress bar on a terminal, nothing in a pipe.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use std::sync::Arc;
use veloxel::{Observer, Step};

/// Parts of the bar.
const PARTS: f64 = 1000.0;

/// Shows stage, loops, residual and time left on standard error.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// As runs take it.
    pub fn shared(quiet: bool) -> Option<Arc<dyn Observer>> {
        Some(Arc::new(Self::new(quiet)))
    }

    fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸─");
        let bar = ProgressBar::with_draw_target(Some(PARTS as u64), target).with_style(style);
        Self { bar }
    }
}

impl Observer for Progress {
    fn step(&self, step: Step) -> ControlFlow<()> {
        let counters = step.counters.iter().flatten().map(|c| format!("{} {}/{}  ", c.what, c.now, c.of));
        let counters: String = counters.collect();
        let residual = step.residual.map_or_else(String::new, |r| format!("residual {r:.1e}  "));
        let left = step.left_ms.map_or_else(String::new, |ms| format!("{:.0} s left", ms * 1e-3));
        self.bar.set_position((PARTS * step.done.clamp(0.0, 1.0)) as u64);
        self.bar.set_message(format!("{}  {counters}{residual}{left}", step.stage.word()));
        ControlFlow::Continue(())
    }
}

impl Drop for Progress {
    /// Leaves the terminal clean for what is printed next.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
