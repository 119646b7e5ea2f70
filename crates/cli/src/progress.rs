//! A progress bar on a terminal, nothing in a pipe.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Instant;
use veloxel::{Observer, Step};

/// Parts of the bar.
const PARTS: f64 = 1000.0;
/// Share of the work from which on the time left is shown.
const SPEAKS_FROM: f64 = 0.1;

/// Shows level, warp, residual and time left on standard error.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    pub fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸─");
        let bar = ProgressBar::with_draw_target(Some(PARTS as u64), target).with_style(style);
        Self { bar, start: Instant::now() }
    }
}

impl Observer for Progress {
    fn step(&self, step: Step) {
        // What reading took would make the first guesses far too long.
        let left = if step.done < SPEAKS_FROM {
            String::new()
        } else {
            format!("  {:.0} s left", self.start.elapsed().as_secs_f64() * (1.0 - step.done) / step.done)
        };
        let residual = step.residual.map_or_else(String::new, |r| format!("  residual {r:.1e}"));
        self.bar.set_position((PARTS * step.done.clamp(0.0, 1.0)) as u64);
        self.bar.set_message(format!(
            "level {}/{}  warp {}/{}{residual}{left}",
            step.level, step.levels, step.warp, step.warps
        ));
    }
}

impl Drop for Progress {
    /// Leaves the terminal clean for what is printed next.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
