//! How far the conjugate gradients of a problem are.

use super::lattice::Elements;
use super::projection::total;
use super::state::is_active;
use crate::kernel::{Lengths, PreparedLaunch};
use veloxel_gpu::{Buffer, Uniform, reduction_groups};

/// Needs [`super::gpu_block::ELEMENTS`]; the block's second member is `progress`.
pub(super) const PROGRESS: &str = include_str!("progress.wgsl");

/// Partial sums of `rᵀ z` of three iterations, and when to end.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// At the first iteration.
    pub first: &'a Buffer,
    /// At the iteration before; none at the first.
    pub before: Option<&'a Buffer>,
    /// Now.
    pub now: &'a Buffer,
    /// A problem is done when `√(rᵀ z)` is at most so many times that of the first iteration.
    pub tolerance: f32,
}

/// What follows for one problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ratios {
    pub now: f32,
    pub beta: f32,
    pub is_done: bool,
}

impl<'a> Progress<'a> {
    pub(super) fn check(&self, lengths: &mut Lengths, elements: &Elements) {
        let count = elements.problems * reduction_groups(elements.unknowns());
        lengths.of("first", self.first, count).optional("before", self.before, count);
        lengths.of("now", self.now, count);
    }
    pub(super) fn uniform(&self, uniform: Uniform) -> Uniform {
        let is_first = f32::from(u8::from(self.before.is_none()));
        uniform.f4([self.tolerance * self.tolerance, is_first])
    }
    pub(super) fn bind(&self, launch: PreparedLaunch<'a>) -> PreparedLaunch<'a> {
        launch.input(self.first).input(self.before.unwrap_or(self.first)).input(self.now)
    }
    /// On processors.
    pub(super) fn ratios(&self, elements: &Elements, state: &[f32]) -> Vec<Ratios> {
        let of = |problem: usize| {
            let total = |partials: &Buffer| total(partials.host(), problem, elements.problems);
            let (first, now) = (total(self.first), total(self.now));
            let before = self.before.map_or(0.0, total);
            let goes_on = now > self.tolerance * self.tolerance * first;
            Ratios {
                now,
                beta: if before > 0.0 { now / before } else { 0.0 },
                is_done: !is_active(state, problem) || !goes_on,
            }
        };
        (0..elements.problems).map(of).collect()
    }
}
