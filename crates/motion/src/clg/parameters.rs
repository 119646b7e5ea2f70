//! The parameters of [`Clg`](crate::Clg), and the presets.

use crate::clg::multigrid::Solver;
use crate::steps::choices::{IncrementUpdate, IntensityMapping, Interpolation, MedianFilter, Normalisation};
use crate::steps::image_pyramids::Preparation;
use crate::steps::pyramid::LevelGeometry;
use veloxel_core::{Dimension, choices, parameters};
use veloxel_gpu::Buffer;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::variational::motion_tensor::DataTerm;

parameters! {
    /// Every parameter of combined local-global flow; symbols as in thiyagalingam2011 and the page of [`mod@crate::clg`].
    ///
    /// Lengths are voxels of the pyramid level at hand unless a name says otherwise; intensities are mapped to [0, 1] first.
    /// The *mismatch* is the distance, in voxels, that the warped images still seem to lie apart.
    pub struct ClgParams of "clg";

    /// A named set of parameters.
    pub enum ClgPreset {
        /// The best accuracy: a tenth less error than fast on photographs, in four times its time; on scans of two persons none.
        Accurate = "accurate",
        /// Little work for its accuracy: the one to begin with for volumes.
        Fast = "fast",
        /// For cameras: the estimate ends on a coarse level of the pyramid.
        Realtime = "realtime",
        /// The least time: the estimate ends on a coarser level still.
        Ultrafast = "ultrafast",
        /// Every choice as in Thiyagalingam et al. 2011; its forward differences stand where they belong, half a voxel away.
        Paper = "paper",
        /// Thiyagalingam et al. 2011 to the letter: forward differences taken for derivatives at the voxel. It diverges on fine
        /// texture, the more the longer it runs.
        PaperLiteral = "paper-literal",
        /// Cine MR of the heart: frames of a slice, or two stacks of short-axis slices.
        Cine = "cine",
        /// Cine MR of the heart: slices far apart in time, such as end-diastole and end-systole.
        Apart = "cine-apart",
    }

    /// Weight of smoothness against data. Small: noise gets through; large: the flow goes towards its mean.
    alpha "α": f32 in 1e-9..=1e6 = 0.4 {
        accurate.volume: 0.08, fast.volume: 0.08, realtime.volume: 0.1, ultrafast.image: 0.8,
        ultrafast.volume: 0.1, paper: 0.2, paper_literal: 0.03, cine.image: 0.5, cine.volume: 2.0, cine_apart: 2.0,
    };
    /// Weight of volume preservation. 0: off; large: only motion that changes no volume is left.
    beta "β": f32 in 0..=1e6 = 0.0 { paper: 0.01, paper_literal: 0.01 };
    /// Factor on beta. Large: volume is kept as well where smoothness acts on increments alone, as the images go on to bend the
    /// motion then.
    beta_factor: f32 in 0.001..=1000 = 1.0 { cine.volume: 8.0, cine_apart.volume: 8.0 };
    /// How volume preservation measures a change of volume.
    volume: VolumeTerm = Jacobian { paper: Divergence, paper_literal: Divergence };
    /// Standard deviation of the local window. 0: no window (Horn & Schunck); large: the mean motion of the window.
    rho "ρ": f64 in 0..=16 "voxels" = 1.0 {
        accurate.image: 0.4, fast.image: 0.4, realtime.image: 0.4, ultrafast.image: 0.4, paper: 2.7, cine.image: 0.4,
    };
    /// Weight of gradient constancy beside brightness constancy. 0: off.
    gamma "γ": f32 in 0..=1000 = 2.0 {
        accurate.volume: 0.0, fast.volume: 0.0, realtime.volume: 0.0, ultrafast.volume: 0.0, paper: 0.0, paper_literal: 0.0,
        cine.image: 1.0,
    };
    /// Standard deviation of the window of local normalisation (LCC). 0: off.
    lcc_sigma: f64 in 0..=32 "voxels" = 0.0;
    /// Standard deviation of the smoothing of both images before the pyramid, in voxels of the full grid. 0: off.
    presmooth: f64 in 0..=8 "voxels" = 0.0 { accurate.image: 0.6, fast.image: 0.6, cine.image: 0.6 };
    /// The linear solver.
    solver: Solver = Multigrid {
        accurate.image: Sor, fast.image: Sor, realtime.image: Sor, ultrafast.image: Sor, paper: Jacobi, paper_literal: Jacobi,
        cine.image: Sor,
    };
    /// Most V-cycles (multigrid) or sweeps (jacobi, sor) of a solve.
    iterations "K": usize in 1..=100000 = 1 {
        accurate.image: 15, fast.image: 7, realtime.image: 5, ultrafast.image: 6, paper: 100, paper_literal: 100, cine.image: 7,
    };
    /// A solve ends when its residual has fallen to this share of the first one; the report warns of a solve that does not get
    /// there. 0: after all iterations.
    rtol: f64 in 0..=0.999 = 0.0;
    /// Over-relaxation of sor. 1: Gauss-Seidel.
    omega "ω": f32 in 0.001..=1.999 = 1.0 {
        accurate.image: 1.9, fast.image: 1.9, realtime.image: 1.9, ultrafast.image: 1.9, cine.image: 1.9,
    };
    /// Warps of a level, coarse levels included.
    warps "R": usize in 1..=1000 = 4 {
        accurate.volume: 20, fast.image: 2, realtime.image: 2, ultrafast.image: 2, paper: 20, paper_literal: 10, cine.image: 2,
        cine.volume: 8, cine_apart: 8,
    };
    /// Warps of the finest level.
    finest_warps: usize in 1..=1000 = 2 {
        accurate.image: 4, accurate.volume: 16, realtime.image: 1, paper: 20, paper_literal: 10, cine.volume: 4, cine_apart: 4,
    };
    /// A level ends when the mean increment of a warp is below this; the report warns of a level that does not get there, unless
    /// the value is the preset's own. 0: after all warps.
    warp_tol: f64 in 0..=1 "voxels" = 0.0 { accurate.volume: 0.0004 };
    /// Warps of a level that count in full; the nth one after them goes (K/n)⁴ of its way, so that a level settles however many
    /// there are. 0: all count in full.
    full_warps: usize in 0..=1000 = 0 {
        accurate.image: 4, fast.image: 2, realtime.image: 2, ultrafast.image: 2, cine.image: 2,
    };
    /// From the second warp of a level on, one that lowers the mean difference of the images by less than this share is undone,
    /// and ends the level: what a further one would follow is noise. 0: all warps are done, as where volume is preserved;
    /// large: motion is found in part.
    least_gain: f64 in 0..=1 = 0.0 { cine: 0.05, cine_apart: 0.05 };
    /// Size of a level over that of the next finer one.
    eta "η": f64 in 0.4..=0.95 = 0.5 { accurate.image: 0.7 };
    /// Most levels of the pyramid. 1: no pyramid.
    max_levels: usize in 1..=64 = 64 { paper: 1, paper_literal: 1, cine.volume: 3, cine_apart: 3 };
    /// Level of the pyramid on which the estimate ends; the flow and its confidence are interpolated from there. 0: the full
    /// grid; large: the motion of large structures is found in little time, and that of small ones is lost. Above 0
    /// refine_mismatch has no effect.
    finest_level: usize in 0..=16 = 0 {
        realtime.image: 2, realtime.volume: 1, ultrafast.image: 3, ultrafast.volume: 2,
    };
    /// Penaliser of the data term.
    data_penaliser: Penaliser = Quadratic {
        accurate.image: Charbonnier { epsilon: 0.001 }, fast.image: Charbonnier { epsilon: 0.001 },
        realtime.image: Charbonnier { epsilon: 0.001 }, ultrafast.image: Charbonnier { epsilon: 0.001 },
        cine.image: Charbonnier { epsilon: 0.001 },
    };
    /// Penaliser of the smoothness term.
    smoothness_penaliser: Penaliser = Quadratic {
        accurate.image: Charbonnier { epsilon: 0.001 }, fast.image: Charbonnier { epsilon: 0.001 },
        realtime.image: Charbonnier { epsilon: 0.001 }, ultrafast.image: Charbonnier { epsilon: 0.001 },
        cine.image: Charbonnier { epsilon: 0.001 },
    };
    /// How often the robust weights are updated within a warp.
    lagged_updates: usize in 1..=100 = 1 { accurate.image: 3, fast.image: 2, cine.image: 2 };
    /// How much weaker smoothness is across edges of the fixed image: exp(−κ|∇I|). 0: not at all.
    kappa "κ": f32 in 0..=100 = 0.0;
    /// What smoothness acts on, and volume preservation as divergence; as jacobian it acts on the composed motion always.
    regularise: RegularisedField = Total { paper: Increment, paper_literal: Increment, cine: Increment, cine_apart: Increment };
    /// The derivatives of the images.
    derivatives: DerivativeScheme = Central4 { paper: TwoSided, paper_literal: Forward };
    /// Whether constraints are measured in distance or in contrast.
    normalise: Normalisation = Distance { paper: Off, paper_literal: Off };
    /// Contrast below which brightness counts less, where constraints are measured in distance. Where beta is 0, it falls with
    /// the mismatch below half of alpha_mismatch.
    zeta "ζ": f32 in 1e-6..=1 "per voxel" = 0.3 {
        accurate.volume: 0.1, fast.volume: 0.1, realtime.volume: 0.1, ultrafast.volume: 0.1, paper: 0.1, paper_literal: 0.1,
        cine.volume: 0.12, cine_apart: 0.12,
    };
    /// Contrast of the derivatives below which gradient constancy counts less, where constraints are measured in distance.
    gradient_zeta "ζ": f32 in 1e-6..=1 "per voxel²" = 0.1 {
        accurate.image: 0.08, fast.image: 0.08, realtime.image: 0.08, ultrafast.image: 0.08, cine.image: 0.08,
    };
    /// Interpolation of the moving image.
    interpolation: Interpolation = CubicSpline { paper: Linear, paper_literal: Linear };
    /// Longest increment of a warp. Small: steps stay where the linearisation holds, and more warps are needed.
    increment_limit: f32 in 1e-6..=1e6 "voxels" = 1e6 {
        accurate.volume: 0.8, fast.volume: 0.8, realtime.volume: 0.8, ultrafast.volume: 0.8, cine.volume: 0.5,
        cine_apart: 0.5,
    };
    /// The determinant that every cell of the interpolated map should keep: where an increment would take more, it is shortened, so that
    /// the motion of tissue does not fold. 0: off. Large: strong compression is lost.
    least_determinant: f32 in 0..=0.9 = 0.0 {
        accurate.volume: 0.04, fast.volume: 0.04, realtime.volume: 0.04, ultrafast.volume: 0.04, cine.volume: 0.04,
        cine_apart.volume: 0.04,
    };
    /// How an increment joins the flow.
    update: IncrementUpdate = Add {
        accurate.volume: Compose, fast.volume: Compose, realtime.volume: Compose, ultrafast.volume: Compose,
        cine.volume: Compose, cine_apart: Compose,
    };
    /// Filter between warps, of what smoothness acts on: the flow, or increments.
    median: MedianFilter = Off { accurate.image: NonLocal, fast.image: NonLocal, cine.image: NonLocal };
    /// Factor on the distance between the slices of a stack, where that is twice a pixel's width or more. Small: neighbouring
    /// slices move together; large: each slice moves on its own.
    slice_distance: f64 in 0.25..=8 = 1.0 { cine.volume: 1.5, cine_apart: 1.5 };
    /// Descent of the base of a stack of short-axis slices towards the apex, for each square millimetre of bright blood that a
    /// slice loses. The run starts from that motion, of 16 mm at most. 0: it starts without motion, as where beta is above 0:
    /// the descent alone changes the volume of the muscle.
    long_axis: f64 in 0..=1 "mm per mm²" = 0.0 { cine.volume: 0.025, cine_apart: 0.025 };
    /// How intensities are mapped; raw leaves them as they are.
    intensity: IntensityMapping = Percentiles { cine.volume: Moving, cine_apart: Moving };
    /// The mismatch σ from which on alpha counts in full; below it alpha falls with the square of the mismatch. 0:
    /// alpha is fixed (the paper's).
    alpha_mismatch: f64 in 0..=10 "voxels" = 0.0 { accurate.volume: 0.2 };
    /// Least share of alpha that is left when the images match.
    alpha_floor: f32 in 1e-6..=1 = 0.01 { accurate.volume: 0.025 };
    /// Alpha once the mismatch is below half of alpha_mismatch; it falls with the mismatch as alpha does. It may be larger than
    /// alpha, as bends longer than mean_matched are free then.
    alpha_matched: f32 in 1e-9..=1e6 = 0.03 { accurate.volume: 0.8 };
    /// Rho once the mismatch is below half of alpha_mismatch: what is left then is noise, which a wider window averages without
    /// flattening the motion as a larger alpha would. It falls slowly with the mismatch.
    rho_matched: f64 in 0..=16 "voxels" = 1.0 { accurate.volume: 3.0 };
    /// Once the mismatch is below half of alpha_mismatch, smoothness acts on the total displacement less 0.9 of its mean over a
    /// window of this standard deviation, so that longer bends are flattened ten times less. 0: on all of it.
    mean_matched: f64 in 0..=16 "voxels" = 0.0 { accurate.volume: 2.0 };
    /// Warps of the finest level while the mismatch is below half of alpha_mismatch: a long bend needs many, as each adds a tenth
    /// of its height. Values below finest_warps have no effect.
    matched_warps: usize in 1..=1000 = 1 { accurate.volume: 60 };
    /// The mismatch that the noise of both images alone would leave, from which on it counts: at twice of it rho and alpha are rho_noisy
    /// and alpha_noisy, and gamma is 0; in between they lie between. Small: fine texture passes for noise; 0: noise is not looked at.
    noise_mismatch: f64 in 0..=10 "voxels" = 0.0 {
        accurate.image: 0.25, fast.image: 0.25, accurate.volume: 0.15, fast.volume: 0.15,
    };
    /// Rho where noise counts in full: a wider window averages it.
    rho_noisy: f64 in 0..=16 "voxels" = 1.0 {
        accurate.image: 4.0, fast.image: 4.0, accurate.volume: 4.0, fast.volume: 4.0,
    };
    /// Alpha where noise counts in full.
    alpha_noisy: f32 in 1e-9..=1e6 = 0.4 {
        accurate.image: 0.3, fast.image: 0.3, accurate.volume: 0.12, fast.volume: 0.12,
    };
    /// Mismatch of the estimate below which the images count as free of outliers, and the finest level goes on with the quadratic
    /// energy of volumes. Large: also images with edges of motion, which are then smoothed. 0: never.
    refine_mismatch: f64 in 0..=10 "voxels" = 0.0 { accurate.image: 0.2 };
}

choices! {
    /// What volume preservation is measured by.
    pub enum VolumeTerm {
        /// (div d)²: volume change to first order (Song & Leahy 1991; thiyagalingam2011 section 3.3).
        Divergence = "divergence",
        /// (div δ + ln det(I + ∇d0))²: volume change of the composed motion, exact as δ goes to 0.
        Jacobian = "jacobian",
    }

    /// What the regulariser acts on.
    pub enum RegularisedField {
        /// The total displacement, d0 + δ (Bruhn et al. 2005).
        Total = "total",
        /// The increment δ only (thiyagalingam2011, Algorithm 1).
        Increment = "increment",
    }

    /// Image derivatives.
    pub enum DerivativeScheme {
        /// Forward difference on the fixed image, 0 at the border (thiyagalingam2011, section 4.1).
        Forward = "forward",
        /// The mean of the forward differences of a voxel's two sides, on the fixed image, 0 beyond the border
        /// (thiyagalingam2011, section 4.1, each difference where it belongs: half a voxel away).
        TwoSided = "two-sided",
        /// (−1, 8, 0, −8, 1)/12 on the mean of the fixed and the warped image (Bruhn et al. 2005).
        Central4 = "central4",
    }

    /// Penaliser functions.
    pub enum Penaliser {
        /// s² (the paper's).
        Quadratic = "quadratic",
        /// 2ε²√(1 + s²/ε²), lagged (Charbonnier et al. 1994): quadratic below ε, linear above.
        Charbonnier = "charbonnier" {
            /// Where linear begins: voxels for smoothness, the constraint's unit for data.
            epsilon "ε": f32 in 1e-6..=1000,
        },
    }

}

impl ClgParams {
    /// The second stage for images that match, if there is one: the accurate preset of volumes, with this one's weights where
    /// the images do not match, constraints and tolerance.
    pub(crate) fn refinement(&self) -> Option<Self> {
        let volume = Self::preset(ClgPreset::Accurate, Dimension::Three);
        (self.refine_mismatch > 0.0 && self.finest_level == 0).then_some(Self {
            alpha: self.alpha,
            iterations: if self.rtol > 0.0 { self.iterations } else { volume.iterations },
            rtol: self.rtol,
            beta: self.beta,
            beta_factor: self.beta_factor,
            volume: self.volume,
            lcc_sigma: self.lcc_sigma,
            // A window of the plane holds fewer voxels than one of the same width in space.
            rho_matched: 4.0,
            max_levels: 1,
            least_determinant: self.least_determinant,
            noise_mismatch: self.noise_mismatch,
            rho_noisy: self.rho_noisy,
            alpha_noisy: self.alpha_noisy,
            ..volume
        })
    }

    /// What is done to both images before the first warp.
    pub(crate) fn preparation(&self) -> Preparation {
        let interpolation = self.interpolation.of_kernel();
        let noise = (self.noise_mismatch > 0.0).then(|| self.normalise.constraint(self.zeta));
        Preparation { presmooth: self.presmooth, lcc_sigma: self.lcc_sigma, interpolation, noise }
    }

    /// The constancy of images, or of derivatives, on a level; ζ is the contrast below which it fades.
    pub(super) fn data_term<'a>(
        &self,
        geometry: &LevelGeometry,
        zeta: f32,
        pairs: &'a [(&'a Buffer, &'a Buffer)],
        weight: Option<&'a Buffer>,
    ) -> DataTerm<'a> {
        let scheme = match self.derivatives {
            DerivativeScheme::Forward => Scheme::Forward,
            DerivativeScheme::TwoSided => Scheme::TwoSided,
            DerivativeScheme::Central4 => Scheme::Central4,
        };
        geometry.data_term(scheme, self.normalise.constraint(zeta), pairs, weight)
    }

    /// Whether any weight depends on the solution.
    pub(crate) fn is_robust(&self) -> bool {
        self.data_penaliser != Penaliser::Quadratic || self.smoothness_penaliser != Penaliser::Quadratic
    }
}

impl Penaliser {
    /// Where linear begins; none is quadratic everywhere.
    pub(crate) fn epsilon(self) -> Option<f32> {
        match self {
            Self::Charbonnier { epsilon } => Some(epsilon),
            Self::Quadratic => None,
        }
    }
}
