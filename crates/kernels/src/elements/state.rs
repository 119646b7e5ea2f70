//! What the optimiser knows of each problem, on the device.

use veloxel_core::Axes;

/// Numbers of a problem.
pub const STATE: usize = 8;
/// 0 or 1: the set of control points, residuals and gradients that is accepted; the other one is on trial.
pub const ACCEPTED_SET: usize = 0;
/// λ.
pub const DAMPING: usize = 1;
/// Of the accepted set.
pub const ENERGY: usize = 2;
/// 1 while steps are still made, 0 afterwards.
pub const ACTIVE: usize = 3;
/// Steps that were taken, the first evaluation among them.
pub const TAKEN: usize = 4;
/// Steps that were refused.
pub const REFUSED: usize = 5;
/// Of the first evaluation.
pub const FIRST_ENERGY: usize = 6;
/// Of the accepted set, its smoothness.
pub const SMOOTHNESS: usize = 7;

/// The energy before anything was evaluated.
pub const UNKNOWN_ENERGY: f32 = f32::MAX;

/// Weights of the Sobolev term `∫ α |∇u|² + β Σ_a |∂²u/∂x_a²|² + μ Σ_{a<b} |∂²u/∂x_a ∂x_b|²`, lengths in edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smoothness {
    /// Of first derivatives along each axis.
    pub alpha: Axes<f32>,
    /// Of second derivatives along each axis.
    pub beta: Axes<f32>,
    /// Of mixed second derivatives: x y, x z, y z.
    pub mixed: Axes<f32>,
}

impl Smoothness {
    /// No smoothness.
    pub const NONE: Self = Self { alpha: [0.0; 3], beta: [0.0; 3], mixed: [0.0; 3] };
}

/// The states of all problems, on processors.
#[derive(Clone, Copy)]
pub(super) struct States<'a>(pub &'a [f32]);

impl States<'_> {
    /// Whether a problem is worked on.
    pub fn is_active(self, problem: usize) -> bool {
        self.0[STATE * problem + ACTIVE] != 0.0
    }
    /// λ.
    pub fn damping(self, problem: usize) -> f32 {
        self.0[STATE * problem + DAMPING]
    }
    /// Where a problem's accepted set stands among both sets of all problems.
    pub fn accepted(self, problem: usize) -> usize {
        self.0[STATE * problem + ACCEPTED_SET] as usize * (self.0.len() / STATE) + problem
    }
    /// Where its set on trial stands.
    pub fn trial(self, problem: usize) -> usize {
        (1 - self.0[STATE * problem + ACCEPTED_SET] as usize) * (self.0.len() / STATE) + problem
    }
}
