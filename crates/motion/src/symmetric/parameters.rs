//! The parameters of [`Symmetric`](crate::Symmetric), and the presets.

use veloxel_core::parameters;

parameters! {
    /// Every parameter of symmetric registration; symbols as on the page of [`crate::symmetric`].
    ///
    /// Lengths are voxels of the pyramid level at hand unless a name says otherwise; intensities are mapped to [0, 1] first.
    pub struct SymmetricParams of "symmetric";

    /// A named set of parameters.
    pub enum SymmetricPreset {
        /// The best accuracy.
        Accurate = "accurate",
        /// A third of the work.
        Fast = "fast",
    }

    /// Smoothness of an increment beside its data. Large: increments move wide parts as one.
    alpha "α": f32 in 1e-9..=1e6 = 1.0;
    /// Standard deviation of the window that pools the data around a voxel.
    rho "ρ": f64 in 0.3..=16 "voxels" = 1.0;
    /// Contrast below which brightness counts less.
    zeta "ζ": f32 in 1e-6..=1 "per voxel" = 0.1;
    /// Increments of a level that is twice as coarse as the full grid, or coarser.
    warps: usize in 1..=1000 = 12 { fast: 8 };
    /// Increments of the full grid.
    finest_warps: usize in 0..=1000 = 8 { fast: 3 };
    /// Increments of a level that count in full; the nth one after them goes (K/n)⁴ of its way, so that a level settles however many
    /// there are. 0: all count in full.
    full_warps: usize in 0..=1000 = 8 { accurate.image: 4, fast.image: 4 };
    /// V-cycles of each increment's linear system.
    iterations: usize in 1..=100 = 1;
    /// Longest increment, over both images together.
    increment_limit: f32 in 1e-6..=8 "voxels" = 0.5;
    /// Steps of the full grid, after its increments, along the constraint alone. 0: none.
    short_steps: usize in 0..=1000 = 12 { fast: 6 };
    /// Standard deviation of the window that smooths those steps.
    short_sigma: f64 in 0.3..=16 "voxels" = 0.7;
    /// Contrast below which brightness counts less in those steps.
    short_zeta: f32 in 1e-6..=1 "per voxel" = 0.05;
    /// Longest of those steps.
    short_limit: f32 in 1e-6..=8 "voxels" = 0.4;
    /// The mismatch that the noise of both images alone would leave, from which on it counts: at twice of it rho is rho_noisy and there are
    /// no short steps, which follow noise; in between they lie between. Small: fine texture passes for noise; 0: noise is not looked at.
    noise_mismatch: f64 in 0..=10 "voxels" = 0.0 { accurate.volume: 0.15, fast.volume: 0.15 };
    /// Rho where noise counts in full: a wider window averages it.
    rho_noisy: f64 in 0.3..=16 "voxels" = 2.0;
    /// The determinant that every cell of both fields should keep: where a step would take more, it is shortened.
    least_determinant: f32 in 1e-3..=0.9 = 0.04;
    /// Size of a level over that of the next finer one.
    eta "η": f64 in 0.4..=0.95 = 0.5;
    /// Most levels of the pyramid. 1: no pyramid.
    max_levels: usize in 1..=64 = 64;
    /// Corrections of the maps' inverses after each step.
    step_corrections: usize in 0..=8 = 1;
    /// Corrections of both fields towards each other's inverse, at the end: they bring the way there and back closer to nothing, and cost a
    /// little of the fit.
    corrections: usize in 0..=100 = 0;
}
