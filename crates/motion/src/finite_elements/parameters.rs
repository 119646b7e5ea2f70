//! The parameters of [`FiniteElements`](crate::FiniteElements), and the presets.

use crate::steps::choices::IntensityMapping;
use veloxel_core::{choices, parameters};

parameters! {
    /// Every parameter of finite-element registration; symbols as on the page of [`crate::finite_elements`].
    ///
    /// Lengths are edges, the smallest voxel edge of the full grid, unless a name says otherwise; intensities are mapped to
    /// [0, 1] first.
    pub struct FiniteElementsParams of "fe";

    /// A named set of parameters.
    pub enum FiniteElementsPreset {
        /// The best accuracy at a few times the cost.
        Accurate = "accurate",
        /// Little work for its accuracy.
        Fast = "fast",
        /// The paper's elements and α, 0.001; β 0.04 in the unit of pixels.
        Paper = "paper",
    }

    /// Length of an element of the finest lattice. Small: details; large: smooth motion and less work.
    element "h": f64 in 2..=64 "edges" = 8.0 { accurate.image: 4.0, accurate.volume: 6.0 };
    /// Lattices, each with elements of twice the next finer one's length, on images of half its size.
    lattices: usize in 1..=12 = 2 { accurate: 3 };
    /// What an element covers: a slice, the volume, or pictures that follow each other.
    cover: ElementCover = Volume { paper: Slices };
    /// Length of an element in time, of pictures that follow each other. Small: every frame for itself; large: slow motion alone.
    time_element "h_t": f64 in 1..=1000 "frames" = 3.0;
    /// Weight of the velocity. Large: motion that lags behind.
    time_alpha "α_t": f32 in 0..=1000 = 0.0;
    /// Weight of the acceleration. Small: every frame for itself; large: motion that lags behind.
    time_beta "β_t": f32 in 0..=1000 = 0.01;
    /// Weight of the field's first derivatives.
    alpha "α": f32 in 0..=1000 = 0.0 { paper: 0.001 };
    /// Weight of its second derivatives. Small: noise gets through; large: the field bends little.
    beta "β": f32 in 0..=1000 = 0.1 { paper: 0.04 };
    /// Weight of mixed second derivatives over β. 2: bending costs the same in all directions.
    mixed "β₃/β": f32 in 0..=4 = 2.0 { paper: 1.0 };
    /// Weight of first derivatives along x over α. 0: the field may stretch along x at no cost; 1: as along every other axis.
    alpha_x "α₁/α": f32 in 0..=1000 = 1.0;
    /// Weight of first derivatives along y over α. 0: the field may stretch along y at no cost; 1: as along every other axis.
    alpha_y "α₂/α": f32 in 0..=1000 = 1.0;
    /// Weight of first derivatives along z over α, of volumes. 0: the field may stretch along z at no cost; 1: as along every other axis.
    alpha_z "α_z/α": f32 in 0..=1000 = 1.0;
    /// Weight of second derivatives along x over β. 0: the field may bend along x at no cost; 1: as along every other axis.
    beta_x "β₁/β": f32 in 0..=1000 = 1.0;
    /// Weight of second derivatives along y over β. 0: the field may bend along y at no cost; 1: as along every other axis.
    beta_y "β₂/β": f32 in 0..=1000 = 1.0;
    /// Weight of second derivatives along z over β, of volumes. 0: the field may bend along z at no cost; 1: as along every other axis.
    beta_z "β_z/β": f32 in 0..=1000 = 1.0;
    /// Share of the smoothness that acts on the whole field; on each step it acts in full. 1: an elastic body (the paper's); 0: a
    /// fluid, in which earlier steps cost nothing, so that motion may be large.
    elastic "τ": f32 in 0..=1 = 1.0;
    /// The optimiser.
    optimiser: Optimiser = LevenbergMarquardt;
    /// Trial steps of a lattice.
    steps: usize in 1..=100_000 = 6 { paper: 20 };
    /// Iterations of the conjugate gradients a step.
    inner_iterations: usize in 1..=10_000 = 8 { paper: 50 };
    /// Share of their first residual at which the conjugate gradients end.
    inner_tolerance: f32 in 0..=1 = 0.1 { paper: 0.01 };
    /// A lattice ends when a step gains less of the energy. 0: after all steps.
    tolerance: f32 in 0..=1 = 0.001;
    /// Damping of the first step, relative to the diagonal; for gradient descent the length of the first step, in gradients.
    damping "λ": f32 in 1e-9..=1e9 = 0.001;
    /// Standard deviation of the smoothing of both images before the pyramid, in voxels of the full grid. 0: off.
    presmooth: f64 in 0..=8 "voxels" = 0.0;
    /// How the difference of the images is measured.
    measure: ImageMeasure = SquaredDifference;
    /// Standard deviation of the window of local normalisation, in voxels of a level: the squared difference is then that of
    /// local normalised cross-correlation. 0: off.
    lcc_sigma: f64 in 0..=32 "voxels" = 0.0;
    /// Error at which the confidence is halved.
    half_error: f32 in 1e-3..=100 "edges" = 0.5;
    /// How intensities are mapped; raw leaves them as they are.
    intensity: IntensityMapping = Percentiles;
}

choices! {
    /// What is small where images agree.
    pub enum ImageMeasure {
        /// The squared difference.
        SquaredDifference = "squared-difference",
        /// The squared difference after the best gain and offset: normalised cross-correlation, of the image as it is warped.
        Correlation = "ncc",
    }

    /// What the elements of a volume cover.
    pub enum ElementCover {
        /// A slice each: motion stays within slices, and slices do not influence each other.
        Slices = "slices",
        /// The volume: tricubic elements.
        Volume = "volume",
        /// Pictures that follow each other, whose motion stays within them and is smooth in time.
        Time = "time",
        /// Pictures of a whole cycle: the first one follows the last.
        Cycle = "cycle",
    }

    /// How the energy is minimised.
    pub enum Optimiser {
        /// Damped Gauss-Newton steps, solved by conjugate gradients (Li et al. 2008).
        LevenbergMarquardt = "levenberg-marquardt",
        /// Steps along the gradient (the paper's Table 1).
        GradientDescent = "gradient-descent",
    }
}
