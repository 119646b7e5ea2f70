//! The parameters of [`LucasKanade`](crate::LucasKanade), and the presets.

use crate::steps::choices::{IncrementUpdate, IntensityMapping, Interpolation, MedianFilter, Normalisation};
use veloxel_core::{choices, parameters};

parameters! {
    /// Every parameter of pyramidal Lucas-Kanade; symbols as on the page of [`crate::lucas_kanade`].
    ///
    /// Lengths are voxels of the pyramid level at hand unless a name says otherwise; intensities are mapped to [0, 1] first.
    pub struct LucasKanadeParams of "lucas-kanade";

    /// A named set of parameters.
    pub enum LucasKanadePreset {
        /// The best accuracy at a few times the cost.
        Accurate = "accurate",
        /// Little work for its accuracy.
        Fast = "fast",
        /// Weighted least squares for the velocity of a window, as in the GPGPU paper of 2011: contrast as it is, three levels.
        Paper = "paper",
    }

    /// The window whose voxels share one displacement. Small: details, and noise gets through; large: the mean motion.
    window: WindowShape = (Box { radius: 3 }) {
        accurate.image: Gaussian { sigma: 1.5 }, accurate.volume: Gaussian { sigma: 2.0 },
        fast.volume: Box { radius: 2 }, paper: Gaussian { sigma: 2.0 },
    };
    /// What the voxels of a window share.
    shared: SharedInWindow = Increment { paper: Displacement };
    /// Iterations of a level, coarse levels included.
    iterations "K": usize in 1..=1000 = 5 { fast.image: 1, fast.volume: 4 };
    /// Iterations of the finest level.
    finest_iterations: usize in 1..=1000 = 5 { fast.image: 1, fast.volume: 3 };
    /// Iterations of a level that count in full; the nth one after them goes (K/n)⁴ of its way, so that a level settles however
    /// many there are. 0: all count in full.
    full_iterations: usize in 0..=1000 = 0 { accurate.image: 3, accurate.volume: 5, fast.image: 1, fast.volume: 3 };
    /// A level ends when the mean increment of an iteration is below this. 0: after all iterations.
    tolerance: f64 in 0..=1 "voxels" = 0.0;
    /// Size of a level over that of the next finer one.
    eta "η": f64 in 0.4..=0.95 = 0.5;
    /// Most levels of the pyramid. 1: no pyramid.
    max_levels: usize in 1..=64 = 64 { paper: 3 };
    /// What is added to the window's eigenvalues. Small: windows of one edge slide along it; large: more iterations are needed.
    ridge "λ": f32 in 0..=1 = 0.01 { paper: 1e-6 };
    /// The eigenvalue at which the confidence halves.
    half_eigenvalue "λ₀": f32 in 1e-12..=10 = 1e-5 { accurate.image: 1e-6, fast.image: 1e-6, paper: 1e-6 };
    /// Weight of gradient constancy beside brightness constancy. 0: off.
    gamma "γ": f32 in 0..=1000 = 0.0 { accurate.image: 2.0, fast.image: 2.0 };
    /// Whether constraints are measured in distance or in contrast.
    normalise: Normalisation = Distance { paper: Off };
    /// Contrast below which brightness counts less, where constraints are measured in distance.
    zeta "ζ": f32 in 1e-6..=1 "per voxel" = 0.3 { accurate.volume: 0.05, fast.volume: 0.05, paper: 0.1 };
    /// Contrast of the derivatives below which gradient constancy counts less, where constraints are measured in distance.
    gradient_zeta "ζ": f32 in 1e-6..=1 "per voxel²" = 0.05 { accurate.image: 0.04, fast.image: 0.01 };
    /// Residual from which on a voxel counts less within its window, so that outliers do not drag it. 0: all count alike.
    epsilon "ε": f32 in 0..=1000 "voxels" = 0.0 { accurate.image: 0.3 };
    /// Standard deviation of the smoothing of both images before the pyramid, in voxels of the full grid. 0: off.
    presmooth: f64 in 0..=8 "voxels" = 0.0 { accurate.image: 0.6, fast.image: 0.6 };
    /// Standard deviation of the window of local normalisation (LCC). 0: off.
    lcc_sigma: f64 in 0..=32 "voxels" = 0.0;
    /// Interpolation of the moving image.
    interpolation: Interpolation = Linear { accurate: CubicSpline };
    /// Longest increment of an iteration.
    increment_limit: f32 in 1e-6..=1e6 "voxels" = 2.0 { accurate.volume: 1.0, fast.volume: 1.0 };
    /// How an increment joins the flow.
    update: IncrementUpdate = Add;
    /// Filter of the flow after each iteration.
    median: MedianFilter = (Plain { radius: 1 }) {
        accurate.image: NonLocal, fast.image: Plain { radius: 2 }, paper: Off,
    };
    /// How intensities are mapped; raw leaves them as they are.
    intensity: IntensityMapping = Percentiles;
}

choices! {
    /// What the equations of a window are solved for.
    pub enum SharedInWindow {
        /// The increment: each iteration adds to what is found, and many of them undo the window's mean, noise included.
        Increment = "increment",
        /// The displacement itself (gpgpu2011, section 3.3: the local model is a constant velocity): each voxel's constraint counts at
        /// its own displacement, and iterations end where every vector is its window's mean.
        Displacement = "displacement",
    }

    /// The voxels that share one displacement.
    pub enum WindowShape {
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
