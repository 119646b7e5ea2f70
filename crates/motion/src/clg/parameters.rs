//! The parameters of [`Clg`](crate::Clg), and the presets.

use crate::MotionError;
use crate::multigrid::Solver;
use serde::{Deserialize, Serialize};
use veloxel_compute::kernels::warp;
use veloxel_core::Dimension;

/// Every choice of combined local-global flow; symbols as in thiyagalingam2011 and the page of [`mod@crate::clg`].
///
/// Lengths are voxels of the pyramid level at hand unless a name says otherwise; intensities are mapped to [0, 1] first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClgParams {
    /// α: weight of smoothness against data. Small: noise gets through; large: the field goes towards its mean. (0, 1e6)
    pub alpha: f32,
    /// σ: mismatch of the warped images, voxels, from which on α counts in full; below it α falls with the mismatch squared,
    /// as the ratio of the variances of data and motion asks for. 0: α is fixed (the paper's). [0, 10]
    pub alpha_mismatch: f64,
    /// Least share of α that is left when the images match. (0, 1]
    pub alpha_floor: f32,
    /// α once the mismatch is below σ/2; falls with the mismatch as α does. May be larger than α, as bends longer than
    /// `mean_matched` are free then. (0, 1e6)
    pub alpha_matched: f32,
    /// ρ: standard deviation of the local window K_ρ, voxels. 0: none (Horn & Schunck); large: the window's mean motion. [0, 16]
    pub rho: f64,
    /// ρ once the mismatch is below σ/2: what is left then is noise, which a wider window averages without flattening the
    /// motion as a larger α would. Falls slowly with the mismatch. [0, 16]
    pub rho_matched: f64,
    /// Once the mismatch is below σ/2, smoothness is asked of what the total displacement has beyond 0.9 of its mean over a
    /// window of this standard deviation, voxels, so that longer bends are flattened ten times less. 0: of all of it. [0, 16]
    pub mean_matched: f64,
    /// β: weight of volume preservation. 0: off; large: only motion with det = 1 is left. [0, 1e6)
    pub beta: f32,
    /// What β is applied to.
    pub volume: VolumeTerm,
    /// What α and β act on: the total displacement, or the increment only (the paper's).
    pub regularise: Regularise,
    /// Derivatives.
    pub derivatives: Derivatives,
    /// Whether constraints are measured in distance instead of contrast.
    pub normalise: Normalisation,
    /// ζ of the brightness constraint's normalisation, intensity per voxel: contrast below it counts less. Where β = 0 it falls
    /// with the mismatch below σ/2. (0, 1]
    pub zeta: f32,
    /// Penaliser of the data term.
    pub data_penaliser: Penaliser,
    /// Penaliser of the smoothness term.
    pub smoothness_penaliser: Penaliser,
    /// κ: how much weaker smoothness is across edges of the fixed image (exp(−κ|∇I|)). 0: not at all. [0, 100]
    pub kappa: f32,
    /// γ: weight of gradient constancy beside brightness constancy. 0: off. [0, 1e3]
    pub gamma: f32,
    /// ζ of the gradient constraints' normalisation. (0, 1]
    pub gradient_zeta: f32,
    /// Standard deviation of the window of local normalisation (LCC), voxels. 0: off. [0, 32]
    pub lcc_sigma: f64,
    /// Smoothing of both images before the pyramid, voxels of the full grid. [0, 8]
    pub presmooth: f64,
    /// How intensities are mapped.
    pub intensity: Intensity,
    /// η: size of a level over that of the next finer one. (0.4, 0.95)
    pub eta: f64,
    /// Most levels of the pyramid; 1: no pyramid. [1, 64]
    pub max_levels: usize,
    /// R: warps a level, coarse levels included. [1, 1000]
    pub warps: usize,
    /// Warps of the finest level. [1, 1000]
    pub finest_warps: usize,
    /// Warps of the finest level while the mismatch is below σ/2, where a long bend grows by a tenth of itself a warp; fewer
    /// than `finest_warps` count for nothing. [1, 1000]
    pub matched_warps: usize,
    /// A level ends when the mean |δ| falls below this, voxels; 0: always all warps. [0, 1]
    pub warp_tol: f64,
    /// How often the robust weights are updated within a warp. [1, 100]
    pub lagged_updates: usize,
    /// The linear solver.
    pub solver: Solver,
    /// K: most V-cycles, or sweeps, of a solve. [1, 100000]
    pub iterations: usize,
    /// A solve ends at ‖r‖/‖r₀‖ ≤ rtol; 0: always all iterations. [0, 1)
    pub rtol: f64,
    /// ω of SOR. (0, 2)
    pub omega: f32,
    /// Interpolation of the moving image.
    pub interpolation: Interpolation,
    /// Longest increment of a warp, voxels; keeps steps where the linearisation holds. (0, 1e6]
    pub increment_limit: f32,
    /// How increments join the field.
    pub update: Update,
    /// Filter of the field between warps.
    pub median: MedianFilter,
    /// Mismatch of the estimate, voxels, below which the images count as free of outliers and the finest level goes on with
    /// the quadratic energy of volumes. Large: also where motion breaks, which it then smooths over. 0: never. [0, 10]
    pub refine_mismatch: f64,
}

/// What volume preservation is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VolumeTerm {
    /// `(div d)²`: volume change to first order (Song & Leahy 1991; thiyagalingam2011 section 3.3).
    Divergence,
    /// `(div δ + ln det(I + ∇d0))²`: volume change of the composed motion, exact as δ goes to 0.
    Jacobian,
}

/// What the regulariser acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regularise {
    /// `d0 + δ` (Bruhn et al. 2005).
    Total,
    /// δ only (thiyagalingam2011, Algorithm 1).
    Increment,
}

/// Image derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Derivatives {
    /// Forward difference on the fixed image, 0 at the border (thiyagalingam2011, section 4.1).
    Forward,
    /// (−1, 8, 0, −8, 1)/12 on the mean of the fixed and the warped image (Bruhn et al. 2005).
    Central4,
}

/// Scaling of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalisation {
    /// Contrast counts (the paper's).
    Off,
    /// Divided by |∇I|² + ζ²: distance counts (Zimmer et al. 2011).
    Distance,
}

/// Penaliser functions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Penaliser {
    /// s² (the paper's).
    Quadratic,
    /// 2ε²√(1 + s²/ε²), lagged (Charbonnier et al. 1994): quadratic below ε, linear above.
    Charbonnier {
        /// ε: voxels for smoothness, the constraint's unit for data.
        epsilon: f32,
    },
}

/// Mapping of intensities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intensity {
    /// The fixed image's 0.5 and 99.5 percentiles become 0 and 1, the moving image follows by the same map.
    Percentiles,
    /// As they are (`--raw-intensity`).
    Raw,
}

/// Interpolation of the moving image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Bi- or trilinear (the paper's).
    Linear,
    /// Cubic B-spline (Unser 1999).
    CubicSpline,
}

impl Interpolation {
    /// As kernels know it.
    pub fn of_kernel(self) -> warp::Interpolation {
        match self {
            Self::Linear => warp::Interpolation::Linear,
            Self::CubicSpline => warp::Interpolation::CubicSpline,
        }
    }
}

/// How increments join the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Update {
    /// d + δ (the paper's).
    Add,
    /// δ + d ∘ (id + δ): prevents folding (Vercauteren et al. 2009).
    Compose,
}

/// Filter of the field after each warp.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MedianFilter {
    /// None (the paper's).
    Off,
    /// The median of the (2r+1)-wide window.
    Plain {
        /// r, voxels. [1, 3]
        radius: usize,
    },
    /// 2-D: 5 × 5, then a weighted median with visibility near motion edges (Sun, Roth, Black 2010).
    NonLocal,
}

/// A named set of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Little work for its accuracy.
    Fast,
    /// The best accuracy at a few times the cost.
    Accurate,
    /// Every choice as in thiyagalingam2011.
    Paper,
}

impl ClgParams {
    /// A preset for images or for volumes.
    pub fn preset(preset: Preset, dimension: Dimension) -> Self {
        match (preset, dimension) {
            (Preset::Paper, _) => Self::paper(),
            (Preset::Fast, Dimension::Two) => Self {
                eta: 0.5,
                warps: 2,
                finest_warps: 2,
                lagged_updates: 2,
                iterations: 7,
                ..Self::robust()
            },
            (Preset::Accurate, Dimension::Two) => Self { refine_mismatch: 0.2, ..Self::robust() },
            (Preset::Fast, Dimension::Three) => Self::volume(),
            (Preset::Accurate, Dimension::Three) => Self {
                alpha: 0.12,
                alpha_mismatch: 0.2,
                alpha_matched: 0.8,
                alpha_floor: 0.025,
                rho_matched: 3.0,
                mean_matched: 2.0,
                warps: 20,
                finest_warps: 16,
                matched_warps: 60,
                warp_tol: 0.0004,
                ..Self::volume()
            },
        }
    }

    /// thiyagalingam2011: Algorithm 1 with section 3.3.
    fn paper() -> Self {
        Self {
            alpha: 0.03,
            alpha_mismatch: 0.0,
            alpha_floor: 0.01,
            alpha_matched: 0.03,
            rho: 1.0,
            rho_matched: 1.0,
            mean_matched: 0.0,
            beta: 0.01,
            volume: VolumeTerm::Divergence,
            regularise: Regularise::Increment,
            derivatives: Derivatives::Forward,
            normalise: Normalisation::Off,
            zeta: 0.1,
            data_penaliser: Penaliser::Quadratic,
            smoothness_penaliser: Penaliser::Quadratic,
            kappa: 0.0,
            gamma: 0.0,
            gradient_zeta: 0.1,
            lcc_sigma: 0.0,
            presmooth: 0.0,
            intensity: Intensity::Percentiles,
            eta: 0.5,
            max_levels: 1,
            warps: 10,
            finest_warps: 10,
            matched_warps: 1,
            warp_tol: 0.0,
            lagged_updates: 1,
            solver: Solver::Jacobi,
            iterations: 100,
            rtol: 0.0,
            omega: 1.0,
            interpolation: Interpolation::Linear,
            increment_limit: 1e6,
            update: Update::Add,
            median: MedianFilter::Off,
            refine_mismatch: 0.0,
        }
    }

    /// Volumes: quadratic, normalised, composed.
    fn volume() -> Self {
        Self {
            alpha: 0.1,
            beta: 0.0,
            volume: VolumeTerm::Jacobian,
            regularise: Regularise::Total,
            derivatives: Derivatives::Central4,
            normalise: Normalisation::Distance,
            max_levels: 64,
            warps: 4,
            finest_warps: 2,
            solver: Solver::Multigrid,
            iterations: 1,
            increment_limit: 0.8,
            update: Update::Compose,
            interpolation: Interpolation::CubicSpline,
            ..Self::paper()
        }
    }

    /// Pictures: robust, with gradient constancy and motion boundaries.
    fn robust() -> Self {
        Self {
            alpha: 0.4,
            rho: 0.4,
            zeta: 0.3,
            data_penaliser: Penaliser::Charbonnier { epsilon: 0.001 },
            smoothness_penaliser: Penaliser::Charbonnier { epsilon: 0.001 },
            gamma: 2.0,
            gradient_zeta: 0.08,
            presmooth: 0.6,
            eta: 0.7,
            warps: 4,
            finest_warps: 4,
            lagged_updates: 3,
            solver: Solver::Sor,
            iterations: 15,
            omega: 1.9,
            increment_limit: 1e6,
            update: Update::Add,
            median: MedianFilter::NonLocal,
            ..Self::volume()
        }
    }

    /// The second stage for images that match, if there is one: the accurate preset of volumes, with this one's weights where
    /// the images do not match, constraints and tolerance.
    pub(crate) fn refinement(&self) -> Option<Self> {
        let volume = Self::preset(Preset::Accurate, Dimension::Three);
        (self.refine_mismatch > 0.0).then_some(Self {
            alpha: self.alpha,
            iterations: if self.rtol > 0.0 { self.iterations } else { volume.iterations },
            rtol: self.rtol,
            beta: self.beta,
            volume: self.volume,
            lcc_sigma: self.lcc_sigma,
            // A window of the plane holds fewer voxels than one of the same width in space.
            rho_matched: 4.0,
            max_levels: 1,
            ..volume
        })
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`MotionError::Parameter`] with the first parameter that lies outside.
    pub fn validate(&self) -> Result<(), MotionError> {
        let check = |ok: bool, name, got: String, expected| {
            if ok { Ok(()) } else { Err(MotionError::Parameter { name, got, expected }) }
        };
        // Seven digits: 1e-6 as `f32` lies a little below 1e-6.
        let within = |v: f64, low: f64, high: f64| {
            v.is_finite() && v >= low * (1.0 - 1e-7) && v <= high * (1.0 + 1e-7)
        };
        let real = [
            ("alpha", f64::from(self.alpha), 1e-9, 1e6, "1e-9 to 1e6"),
            ("alpha_mismatch", self.alpha_mismatch, 0.0, 10.0, "0 to 10 voxels"),
            ("alpha_floor", f64::from(self.alpha_floor), 1e-6, 1.0, "1e-6 to 1"),
            ("alpha_matched", f64::from(self.alpha_matched), 1e-9, 1e6, "1e-9 to 1e6"),
            ("rho", self.rho, 0.0, 16.0, "0 to 16 voxels"),
            ("rho_matched", self.rho_matched, 0.0, 16.0, "0 to 16 voxels"),
            ("mean_matched", self.mean_matched, 0.0, 16.0, "0 to 16 voxels"),
            ("beta", f64::from(self.beta), 0.0, 1e6, "0 to 1e6"),
            ("zeta", f64::from(self.zeta), 1e-6, 1.0, "1e-6 to 1"),
            ("gradient_zeta", f64::from(self.gradient_zeta), 1e-6, 1.0, "1e-6 to 1"),
            ("kappa", f64::from(self.kappa), 0.0, 100.0, "0 to 100"),
            ("gamma", f64::from(self.gamma), 0.0, 1e3, "0 to 1000"),
            ("lcc_sigma", self.lcc_sigma, 0.0, 32.0, "0 to 32 voxels"),
            ("presmooth", self.presmooth, 0.0, 8.0, "0 to 8 voxels"),
            ("eta", self.eta, 0.4, 0.95, "0.4 to 0.95"),
            ("refine_mismatch", self.refine_mismatch, 0.0, 10.0, "0 to 10 voxels"),
            ("warp_tol", self.warp_tol, 0.0, 1.0, "0 to 1 voxel"),
            ("rtol", self.rtol, 0.0, 0.999, "0 to 0.999"),
            ("omega", f64::from(self.omega), 1e-3, 1.999, "0.001 to 1.999"),
            ("increment_limit", f64::from(self.increment_limit), 1e-6, 1e6, "1e-6 to 1e6 voxels"),
        ];
        for (name, value, low, high, expected) in real {
            check(within(value, low, high), name, value.to_string(), expected)?;
        }
        for (name, epsilon) in
            [("data_penaliser", self.data_penaliser), ("smoothness_penaliser", self.smoothness_penaliser)]
        {
            if let Penaliser::Charbonnier { epsilon } = epsilon {
                check(
                    within(f64::from(epsilon), 1e-6, 1e3),
                    name,
                    epsilon.to_string(),
                    "ε from 1e-6 to 1000",
                )?;
            }
        }
        for (name, count, most, expected) in [
            ("max_levels", self.max_levels, 64, "1 to 64"),
            ("warps", self.warps, 1000, "1 to 1000"),
            ("finest_warps", self.finest_warps, 1000, "1 to 1000"),
            ("matched_warps", self.matched_warps, 1000, "1 to 1000"),
            ("lagged_updates", self.lagged_updates, 100, "1 to 100"),
            ("iterations", self.iterations, 100_000, "1 to 100000"),
        ] {
            check((1..=most).contains(&count), name, count.to_string(), expected)?;
        }
        if let MedianFilter::Plain { radius } = self.median {
            check((1..=3).contains(&radius), "median", radius.to_string(), "a radius of 1 to 3")?;
        }
        Ok(())
    }

    /// Whether any weight depends on the solution.
    pub(crate) fn is_robust(&self) -> bool {
        self.data_penaliser != Penaliser::Quadratic || self.smoothness_penaliser != Penaliser::Quadratic
    }
}

impl Default for ClgParams {
    /// The `fast` preset for volumes.
    fn default() -> Self {
        Self::preset(Preset::Fast, Dimension::Three)
    }
}
