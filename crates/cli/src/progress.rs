//! A progress bar on a terminal, nothing in a pipe.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use veloxel_motion::{Observer, Step};

/// Parts of the bar.
const PARTS: f64 = 1000.0;

/// Shows level, warp, residual and time left on standard error.
pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}  {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸─");
        Self(ProgressBar::with_draw_target(Some(PARTS as u64), target).with_style(style))
    }

    /// Leaves the terminal clean for what is printed next.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Progress {
    fn step(&self, step: Step) {
        self.0.set_position((PARTS * step.done.clamp(0.0, 1.0)) as u64);
        self.0.set_message(format!(
            "level {}/{}  warp {}/{}  residual {:.1e}",
            step.level, step.levels, step.warp, step.warps, step.residual
        ));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
