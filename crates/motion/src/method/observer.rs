//! How a face follows a run.

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// 1 is the coarsest.
    pub level: usize,
    /// How many there are.
    pub levels: usize,
    /// 1 is the first of this level.
    pub warp: usize,
    /// At most how many there will be.
    pub warps: usize,
    /// The last ‖r‖/‖r₀‖; none while a GPU still has it.
    pub residual: Option<f64>,
    /// Share of the work done, in [0, 1], by voxels.
    pub done: f64,
}

/// Is told about every warp; called from the thread that runs the method.
pub trait Observer: Sync {
    /// A warp ended.
    fn step(&self, step: Step);
}

/// A part of a run, for the observer of the whole; work in any unit.
pub(crate) struct Portion<'a> {
    pub observer: &'a dyn Observer,
    /// Work done before it.
    pub before: f64,
    /// Its own.
    pub own: f64,
    /// That of the whole run.
    pub all: f64,
}

impl Observer for Portion<'_> {
    fn step(&self, step: Step) {
        let done = (self.before + self.own * step.done) / self.all;
        self.observer.step(Step { done: done.min(1.0), ..step });
    }
}

/// Does not listen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn step(&self, _: Step) {}
}
