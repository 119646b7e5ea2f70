//! The parameters of [`LucasKanade`](crate::LucasKanade), and the presets.

use crate::steps::choices::{Intensity, Interpolation, MedianFilter, Normalisation, Update};
use veloxel_core::{choices, parameters};

parameters! {
    /// Every parameter of pyramidal Lucas-Kanade; symbols as on the page of [`crate::lucas_kanade`].
    ///
    /// Lengths are voxels of the pyramid level at hand unless a name says otherwise; intensities are mapped to [0, 1] first.
    pub struct LucasKanadeParams of "lucas-kanade";

    /// A named set of parameters.
    pub enum LucasKanadePreset {
        /// The best accuracy at a few times the cost.
        Accurate = "accurate": [0, 1],
        /// Little work for its accuracy.
        Fast = "fast": [2, 3],
        /// The method of the textbooks: a box window, contrast as it is, three levels.
        Paper = "paper": [4, 4],
    }

    // Columns: accurate 2-D, accurate 3-D, fast 2-D, fast 3-D, paper.

    /// The window whose voxels share one displacement. Small: details, and noise gets through; large: the mean motion.
    window: Window = Gaussian { sigma: 1.5 }, Gaussian { sigma: 2.0 }, Box { radius: 3 }, Box { radius: 2 }, Box { radius: 3 };
    /// Iterations of a level, coarse levels included.
    iterations "K": usize in 1..=1000 = 5, 5, 1, 4, 5;
    /// Iterations of the finest level.
    finest_iterations: usize in 1..=1000 = 5, 5, 1, 3, 5;
    /// A level ends when the mean increment of an iteration is below this. 0: after all iterations.
    tolerance: f64 in 0..=1 "voxels" = 0.0;
    /// Size of a level over that of the next finer one.
    eta "η": f64 in 0.4..=0.95 = 0.5;
    /// Most levels of the pyramid. 1: no pyramid.
    max_levels: usize in 1..=64 = 64, 64, 64, 64, 3;
    /// What is added to the window's eigenvalues. Small: windows of one edge slide along it; large: more iterations are needed.
    ridge "λ": f32 in 0..=1 = 0.01, 0.01, 0.01, 0.01, 1e-6;
    /// The eigenvalue at which the confidence halves.
    half_eigenvalue "λ₀": f32 in 1e-12..=10 = 1e-5, 1e-5, 1e-5, 1e-5, 1e-6;
    /// Weight of gradient constancy beside brightness constancy. 0: off.
    gamma "γ": f32 in 0..=1000 = 2.0, 0.0, 2.0, 0.0, 0.0;
    /// Whether constraints are measured in distance or in contrast.
    normalise: Normalisation = Distance, Distance, Distance, Distance, Off;
    /// Contrast below which brightness counts less, where constraints are measured in distance.
    zeta "ζ": f32 in 1e-6..=1 "per voxel" = 0.3, 0.05, 0.3, 0.05, 0.1;
    /// The same for gradient constancy.
    gradient_zeta "ζ": f32 in 1e-6..=1 "per voxel²" = 0.04, 0.05, 0.01, 0.05, 0.05;
    /// Residual from which on a voxel counts less within its window, so that outliers do not drag it. 0: all count alike.
    epsilon "ε": f32 in 0..=1000 "voxels" = 0.3, 0.0, 0.0, 0.0, 0.0;
    /// Standard deviation of the smoothing of both images before the pyramid, in voxels of the full grid. 0: off.
    presmooth: f64 in 0..=8 "voxels" = 0.6, 0.0, 0.6, 0.0, 0.0;
    /// Standard deviation of the window of local normalisation (LCC). 0: off.
    lcc_sigma: f64 in 0..=32 "voxels" = 0.0;
    /// Interpolation of the moving image.
    interpolation: Interpolation = CubicSpline, CubicSpline, Linear, Linear, Linear;
    /// Longest increment of an iteration.
    increment_limit: f32 in 1e-6..=1e6 "voxels" = 2.0, 1.0, 2.0, 1.0, 2.0;
    /// How an increment joins the flow.
    update: Update = Add;
    /// Filter of the flow after each iteration.
    median: MedianFilter = NonLocal, Plain { radius: 1 }, Plain { radius: 2 }, Plain { radius: 1 }, Off;
    /// How intensities are mapped (--raw-intensity: raw).
    intensity: Intensity = Percentiles;
}

choices! {
    /// The voxels that share one displacement.
    pub enum Window {
        /// All that lie so far away along each axis, alike; the cost hardly depends on it.
        Box = "box" {
            /// Half width of the window.
            radius "r": usize in 1..=32 "voxels",
        },
        /// Nearer ones more than those further away.
        Gaussian = "gaussian" {
            /// Standard deviation.
            sigma "ρ": f64 in 0.3..=16 "voxels",
        },
    }
}
