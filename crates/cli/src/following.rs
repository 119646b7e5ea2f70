//! How a command follows and stops its run: it shows a progress bar on a terminal and nothing in a pipe, and stops after a
//! signal.

use crate::interrupt::{self, Listening};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use veloxel::{Counter, Observer, Session, Step};

/// Number of steps of the bar.
const PARTS: f64 = 1000.0;

/// What a terminal shows of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bar {
    /// A bar with the stage, the loops and the time left.
    Shown,
    /// The terminal shows nothing.
    Hidden,
}

/// What the first signal does to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It ends the run, and nothing is left behind.
    Discards,
    /// It ends the stream that the run reads, and the results so far are written.
    WritesFound,
}

/// Does work under a session that shows its progress and that the first signal stops; [`run`](crate::run) turns the error
/// into the exit code.
pub fn followed<R>(session: &Session, bar: Bar, work: impl FnOnce(&Session) -> R) -> R {
    followed_until(session, bar, Ending::Discards, work)
}

/// Works as [`followed`] does, with the effect of the first signal.
pub fn followed_until<R>(session: &Session, bar: Bar, ending: Ending, work: impl FnOnce(&Session) -> R) -> R {
    session.follow(Some(Arc::new(Following::new(bar, ending))));
    let result = work(session);
    // The terminal is clean for what is printed next.
    session.follow(None);
    result
}

/// Shows the progress of a run, and stops it once after the first signal.
pub struct Following {
    bar: ProgressBar,
    ending: Ending,
    has_stopped: AtomicBool,
    _listening: Listening,
}

impl Following {
    /// A bar at its beginning.
    pub fn new(bar: Bar, ending: Ending) -> Self {
        let target = match bar {
            Bar::Shown => ProgressDrawTarget::stderr(),
            Bar::Hidden => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸─");
        let bar = ProgressBar::with_draw_target(Some(PARTS as u64), target).with_style(style);
        Self { bar, ending, has_stopped: AtomicBool::new(false), _listening: Listening::begin() }
    }
}

impl Observer for Following {
    fn step(&self, step: Step) -> ControlFlow<()> {
        self.bar.set_position((PARTS * step.done.clamp(0.0, 1.0)) as u64);
        self.bar.set_message(message(&step));
        if interrupt::signal().is_none() || self.has_stopped.swap(true, Ordering::Relaxed) {
            return ControlFlow::Continue(());
        }
        if self.ending == Ending::WritesFound {
            interrupt::answer();
            interrupt::tell("writing what was found so far; once more stops at once");
        }
        ControlFlow::Break(())
    }
}

impl Drop for Following {
    /// Clears the bar, so that the next text begins on a clean line.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The text of the bar: the loops that the run is in, or else its stage; the residual; the time left.
fn message(step: &Step) -> String {
    let counted = |Counter { what, now, of }: &Counter| match of {
        0 => format!("{what} {now}"),
        _ => format!("{what} {now}/{of}"),
    };
    let loops: Vec<String> = step.counters.iter().flatten().map(counted).collect();
    let place = if loops.is_empty() { step.stage.word().to_owned() } else { loops.join("  ") };
    let residual = step.residual.map_or_else(String::new, |r| format!("  residual {r:.1e}"));
    let left = step.left_ms.map_or_else(String::new, |ms| format!("  {:.0} s left", ms / 1e3));
    format!("{place}{residual}{left}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel::Stage;

    #[test]
    fn a_bar_tells_the_loops_or_the_stage() {
        let step = Step { stage: Stage::Write, ..Step::default() };
        assert_eq!(message(&step), "write");
        let [level, warp] =
            [("level", 2, 4), ("frame", 3, 0)].map(|(what, now, of)| Counter { what, now, of });
        let step =
            Step { counters: [Some(level), Some(warp)], residual: Some(0.0125), left_ms: Some(2e3), ..step };
        assert_eq!(message(&step), "level 2/4  frame 3  residual 1.3e-2  2 s left");
        let step = Step { done: 0.4, left_ms: Some(3e3), ..Step::default() };
        assert_eq!(message(&step), "read  3 s left");
    }
}
