//! The state of each problem of the optimiser, kept on the device.

use veloxel_core::Axes;

/// Number of values in a problem's state.
pub const STATE: usize = 8;
/// Index of the accepted set of control points, residuals and gradients, 0 or 1; the other one is on trial.
pub(crate) const ACCEPTED_SET: usize = 0;
/// Index of the damping λ.
pub const DAMPING: usize = 1;
/// Index of the energy of the accepted set.
pub const ENERGY: usize = 2;
/// Index of a flag: 1 while steps are still made, 0 afterwards.
pub(crate) const ACTIVE: usize = 3;
/// Index of the number of steps taken, which counts the first evaluation.
pub const TAKEN: usize = 4;
/// Index of the number of steps refused.
pub const REFUSED: usize = 5;
/// Index of the energy of the first evaluation.
pub const FIRST_ENERGY: usize = 6;
/// Index of the smoothness of the accepted set.
pub const SMOOTHNESS: usize = 7;

/// The energy before anything was evaluated.
pub const UNKNOWN_ENERGY: f32 = f32::MAX;

/// Weights of the Sobolev term `∫ α |∇u|² + β Σ_a |∂²u/∂x_a²|² + μ Σ_{a<b} |∂²u/∂x_a ∂x_b|²`, lengths in edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smoothness {
    /// Weights α of the first derivatives along each axis.
    pub alpha: Axes<f32>,
    /// Weights β of the second derivatives along each axis.
    pub beta: Axes<f32>,
    /// Weights μ of the mixed second derivatives: x y, x z, y z.
    pub mixed: Axes<f32>,
}

impl Smoothness {
    /// Weights without smoothness.
    pub const NONE: Self = Self { alpha: [0.0; 3], beta: [0.0; 3], mixed: [0.0; 3] };
}

/// The states of all problems, on processors.
#[derive(Clone, Copy)]
pub(super) struct States<'a>(pub &'a [f32]);

impl States<'_> {
    /// Whether a problem is worked on.
    pub(crate) fn is_active(self, problem: usize) -> bool {
        self.0[STATE * problem + ACTIVE] != 0.0
    }
    /// The damping λ of a problem.
    pub fn damping(self, problem: usize) -> f32 {
        self.0[STATE * problem + DAMPING]
    }
    /// The position of a problem's accepted set among both sets of all problems.
    pub fn accepted(self, problem: usize) -> usize {
        self.0[STATE * problem + ACCEPTED_SET] as usize * (self.0.len() / STATE) + problem
    }
    /// The position of a problem's set on trial.
    pub fn trial(self, problem: usize) -> usize {
        (1 - self.0[STATE * problem + ACCEPTED_SET] as usize) * (self.0.len() / STATE) + problem
    }
}
