//! The one channel between a run and its observer: the run reports its progress, and asks whether to go on.
//!
//! A [`Control`] is shared by everything that works for a run: the device and its threads, readers and writers. Work calls
//! [`Control::step`] where it knows how far it is, and [`Control::check`] wherever a stretch of work may be long; both ask the
//! observer, and both fail with [`Stopped`] once it has answered [`ControlFlow::Break`].

mod bytes_read;
pub mod pace;
pub mod sorting;
pub mod threads;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Milliseconds between two questions of [`Control::check`].
const ASK_EVERY_MS: u64 = 20;
/// Share of a stage from which on the time left is estimated: what happens once at its beginning would make the first estimates
/// far too long.
const LEFT_FROM: f64 = 0.1;

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// Files are read and decoded.
    #[default]
    Read,
    /// The result is computed.
    Solve,
    /// The result is measured.
    Measure,
    /// Files are encoded and written.
    Write,
}

impl Stage {
    /// The stage's word: `read`, `solve`, `measure` or `write`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Solve => "solve",
            Self::Measure => "measure",
            Self::Write => "write",
        }
    }
}

/// One of the loops that a run is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// What is counted: `level`, `warp`, `frame`, …
    pub what: &'static str,
    /// Which one it is, from 1 to `of`.
    pub now: usize,
    /// How many there are; 0 where that is not known.
    pub of: usize,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// What the run is doing.
    pub stage: Stage,
    /// Share of the stage's work done, in [0, 1].
    pub done: f64,
    /// Milliseconds that the rest of the stage will take if it goes on at the same speed; none while too little of it is done
    /// for an estimate.
    pub left_ms: Option<f64>,
    /// The loops that the run is in, the outer one first; none where there are fewer than two.
    pub counters: [Option<Counter>; 2],
    /// The last relative residual ‖r‖/‖r₀‖ of a solver; none where there is no solver, or while a GPU still has it.
    pub residual: Option<f64>,
}

/// Follows a run and may stop it.
///
/// It is called on whichever thread works for the run at that moment: the thread that called the pipeline, a thread of the
/// device's pool, or one that reads files. Two calls never overlap. The run waits until the call returns, and the call must
/// not run a pipeline under the same [`Control`].
pub trait Observer: Send + Sync {
    /// Takes the state of the run; [`ControlFlow::Break`] stops it within a few hundredths of a second.
    ///
    /// It is called after each step of the work (a warp, a frame, a tile) and at least every 50 ms while a processor works;
    /// while a GPU works, whenever the next launch is made.
    fn step(&self, step: Step) -> ControlFlow<()>;
}

/// The answer of a run that was asked to stop: what it had not finished is discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the end, as asked")]
pub struct Stopped;

/// A portion of a run's work, in any unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Portion {
    /// Work done before it.
    pub before: f64,
    /// Its own work.
    pub own: f64,
    /// The work of the whole.
    pub all: f64,
}

impl Portion {
    /// The `nth` (from 0) of `count` portions of equal work.
    pub fn nth_of(nth: usize, count: usize) -> Self {
        Self { before: nth as f64, own: 1.0, all: count.max(1) as f64 }
    }
}

/// The channel of one run at a time. Clones are the same channel.
#[derive(Debug, Clone, Default)]
pub struct Control(Arc<Channel>);

#[derive(Default)]
struct Channel {
    is_stopped: AtomicBool,
    is_followed: AtomicBool,
    /// When the observer was asked last, milliseconds after `Follower::since`.
    asked_ms: AtomicU64,
    bytes_expected: AtomicU64,
    bytes_read: AtomicU64,
    state: Mutex<State>,
}

/// The state of the run that the observer gets next.
#[derive(Default)]
struct State {
    follower: Option<Follower>,
    step: Step,
    /// The share of the stage that the innermost portion covers: its first point and its width.
    portion: Span,
}

/// An observer, and the times of its last calls; without an observer no clock is read.
struct Follower {
    observer: Arc<dyn Observer>,
    since: Instant,
    stage_since: Instant,
}

impl Follower {
    fn new(observer: Arc<dyn Observer>) -> Self {
        let now = Instant::now();
        Self { observer, since: now, stage_since: now }
    }

    fn now_ms(&self) -> u64 {
        self.since.elapsed().as_millis() as u64
    }

    /// What the rest of the stage will take once this share is done; none while that is too little for an estimate.
    fn left_ms(&self, done: f64) -> Option<f64> {
        let stage_ms = self.stage_since.elapsed().as_secs_f64() * 1e3;
        (done >= LEFT_FROM).then(|| stage_ms * (1.0 - done) / done)
    }
}

#[derive(Debug, Clone, Copy)]
struct Span {
    from: f64,
    width: f64,
}

impl Default for Span {
    /// The portion that covers the whole stage.
    fn default() -> Self {
        Self { from: 0.0, width: 1.0 }
    }
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Channel").field("is_stopped", &self.is_stopped).finish_non_exhaustive()
    }
}

impl Control {
    /// A channel that an observer follows.
    pub fn followed_by(observer: Arc<dyn Observer>) -> Self {
        let control = Self::default();
        control.follow(Some(observer));
        control
    }

    /// Makes this observer follow the run from here on, or none; forgets an earlier request to stop.
    pub fn follow(&self, observer: Option<Arc<dyn Observer>>) {
        let mut state = self.state();
        self.0.is_followed.store(observer.is_some(), Ordering::Relaxed);
        self.0.asked_ms.store(0, Ordering::Relaxed);
        self.0.is_stopped.store(false, Ordering::Relaxed);
        self.expect_bytes(0);
        *state = State { follower: observer.map(Follower::new), ..State::default() };
    }

    /// Forgets an earlier request to stop, so that the next run can begin; the observer stays.
    pub fn resume(&self) {
        self.0.is_stopped.store(false, Ordering::Relaxed);
    }

    /// Stops the run, as an observer's [`ControlFlow::Break`] does.
    pub fn stop(&self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the run is to stop; the observer is not called.
    pub fn is_stopped(&self) -> bool {
        self.0.is_stopped.load(Ordering::Relaxed)
    }

    /// Asks whether to go on: the observer itself if the last question was 20 ms ago. Cheap enough for
    /// every launch, every chunk of a file and every thousandth step of a loop.
    ///
    /// # Errors
    /// [`Stopped`] once the run is to stop.
    pub fn check(&self) -> Result<(), Stopped> {
        let channel = &*self.0;
        if self.is_stopped() {
            return Err(Stopped);
        }
        if !channel.is_followed.load(Ordering::Relaxed) {
            return Ok(());
        }
        // A thread that holds the state is asking, or reports progress and then asks.
        let Ok(mut state) = channel.state.try_lock() else { return Ok(()) };
        let now_ms = state.follower.as_ref().map_or(0, Follower::now_ms);
        if now_ms.saturating_sub(channel.asked_ms.load(Ordering::Relaxed)) < ASK_EVERY_MS {
            return Ok(());
        }
        self.ask(&mut state)
    }

    /// Enters a stage, of which nothing is done yet.
    ///
    /// # Errors
    /// [`Stopped`] if the run is to stop.
    pub fn enter(&self, stage: Stage) -> Result<(), Stopped> {
        let mut state = self.state();
        if let Some(follower) = &mut state.follower {
            follower.stage_since = Instant::now();
        }
        self.0.bytes_read.store(0, Ordering::Relaxed);
        state.step = Step { stage, ..Step::default() };
        state.portion = Span::default();
        self.ask(&mut state)
    }

    /// Reports how much of the innermost [portion](Self::portion) is done, in [0, 1], and in which loops the run is.
    ///
    /// # Errors
    /// [`Stopped`] if the run is to stop.
    pub fn step(&self, done: f64, counters: [Option<Counter>; 2]) -> Result<(), Stopped> {
        self.step_of_solver(done, counters, None)
    }

    /// Reports progress as [`Self::step`] does, and the relative residual of a solver.
    ///
    /// # Errors
    /// [`Stopped`] if the run is to stop.
    pub fn step_of_solver(
        &self,
        done: f64,
        counters: [Option<Counter>; 2],
        residual: Option<f64>,
    ) -> Result<(), Stopped> {
        if !self.0.is_followed.load(Ordering::Relaxed) {
            return if self.is_stopped() { Err(Stopped) } else { Ok(()) };
        }
        let mut state = self.state();
        let done = (state.portion.from + state.portion.width * done.clamp(0.0, 1.0)).clamp(0.0, 1.0);
        let left_ms = state.follower.as_ref().and_then(|follower| follower.left_ms(done));
        state.step = Step { stage: state.step.stage, done, left_ms, counters, residual };
        self.ask(&mut state)
    }

    /// Does work that is a portion of the work around it: progress that it reports counts as that share of the whole. Portions
    /// nest; one thread at a time enters them.
    pub fn portion<R>(&self, portion: Portion, work: impl FnOnce() -> R) -> R {
        let Portion { before, own, all } = portion;
        let outer = self.state().portion;
        let share = |work: f64| if all > 0.0 { (work / all).clamp(0.0, 1.0) } else { 0.0 };
        let from = outer.from + outer.width * share(before);
        self.state().portion = Span { from, width: outer.width * share(own) };
        let result = work();
        self.state().portion = outer;
        result
    }

    fn ask(&self, state: &mut State) -> Result<(), Stopped> {
        if let Some(follower) = &state.follower
            && !self.is_stopped()
        {
            if let Some(done) = self.share_read(&state.step) {
                (state.step.done, state.step.left_ms) = (done, follower.left_ms(done));
            }
            if follower.observer.step(state.step).is_break() {
                self.stop();
            }
            self.0.asked_ms.store(follower.now_ms(), Ordering::Relaxed);
        }
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Locks the state; an observer that panicked under the lock leaves nothing half-done in it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps every step that is reported, and stops at a number of steps.
    struct Recorder {
        steps: Mutex<Vec<Step>>,
        stop_at: usize,
    }

    impl Observer for Recorder {
        fn step(&self, step: Step) -> ControlFlow<()> {
            let mut steps = self.steps.lock().unwrap();
            steps.push(step);
            if steps.len() < self.stop_at { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        }
    }

    fn followed(stop_at: usize) -> (Arc<Recorder>, Control) {
        let recorder = Arc::new(Recorder { steps: Mutex::default(), stop_at });
        let control = Control::followed_by(recorder.clone());
        (recorder, control)
    }

    #[test]
    fn portions_nest() {
        let (recorder, control) = followed(usize::MAX);
        control.enter(Stage::Solve).unwrap();
        let warp = Counter { what: "warp", now: 2, of: 4 };
        control.portion(Portion::nth_of(1, 2), || {
            control.portion(Portion { before: 1.0, own: 3.0, all: 4.0 }, || {
                control.step(0.5, [Some(warp), None]).unwrap();
            });
            control.step(1.0, [None; 2]).unwrap();
        });
        control.step(0.25, [None; 2]).unwrap();
        let steps = recorder.steps.lock().unwrap();
        let done: Vec<f64> = steps.iter().map(|step| step.done).collect();
        assert_eq!(done, [0.0, 0.5 + 0.5 * (0.25 + 0.75 * 0.5), 1.0, 0.25]);
        assert_eq!((steps[1].counters[0], steps[1].stage), (Some(warp), Stage::Solve));
        assert!(steps[0].left_ms.is_none() && steps[1].left_ms.is_some());
    }

    #[test]
    fn a_stop_holds_until_the_next_run() {
        let (recorder, control) = followed(2);
        assert_eq!(control.enter(Stage::Read), Ok(()));
        assert_eq!(control.step(0.5, [None; 2]), Err(Stopped));
        assert_eq!((control.check(), control.enter(Stage::Write)), (Err(Stopped), Err(Stopped)));
        assert_eq!(recorder.steps.lock().unwrap().len(), 2);
        control.follow(None);
        assert_eq!((control.check(), control.step(1.0, [None; 2])), (Ok(()), Ok(())));
        control.stop();
        assert_eq!(control.clone().check(), Err(Stopped));
        control.resume();
        assert_eq!(control.check(), Ok(()));
    }

    #[test]
    fn a_long_stretch_of_work_asks_every_20_ms() {
        let (recorder, control) = followed(3);
        let start = Instant::now();
        while control.check().is_ok() {
            assert!(start.elapsed().as_secs() < 10);
        }
        assert!(start.elapsed().as_millis() >= 2 * u128::from(ASK_EVERY_MS));
        assert_eq!(recorder.steps.lock().unwrap().len(), 3);
    }
}
