//! Choices that several methods offer as parameters.

use veloxel_core::choices;
use veloxel_kernels::image::warp;
use veloxel_kernels::variational::compose;
use veloxel_kernels::variational::motion_tensor::Constraint;

choices! {
    /// Scaling of constraints.
    pub enum Normalisation {
        /// Contrast counts (the paper's).
        Off = "off",
        /// Divided by |∇I|² + ζ²: distance counts (Zimmer et al. 2011).
        Distance = "distance",
    }

    /// Mapping of intensities.
    pub enum IntensityMapping {
        /// The fixed image's 0.5 and 99.5 percentiles become 0 and 1; the moving image follows by the same map.
        Percentiles = "percentiles",
        /// The same percentiles of the box of the fixed image in which the images differ, unless there is a mask.
        Moving = "moving",
        /// The intensities of the files, unchanged.
        Raw = "raw",
    }

    /// Interpolation of the moving image.
    pub enum Interpolation {
        /// The nearest voxel's sample: motion below half a voxel is not seen between warps.
        Nearest = "nearest",
        /// Bi- or trilinear (the paper's).
        Linear = "linear",
        /// Bi- or tricubic convolution (Keys 1981).
        CubicConvolution = "cubic-convolution",
        /// Cubic B-spline (Unser 1999).
        CubicSpline = "cubic-spline",
    }

    /// How increments join the flow.
    pub enum IncrementUpdate {
        /// d + δ (the paper's).
        Add = "add",
        /// δ + d ∘ (id + δ): prevents folding (Vercauteren et al. 2009).
        Compose = "compose",
    }

    /// Filter of the flow after each warp.
    pub enum MedianFilter {
        /// No filter (the paper's choice).
        Off = "off",
        /// The median of the (2r+1)-wide window.
        Plain = "plain" {
            /// Half width of the window.
            radius "r": usize in 1..=3 "voxels",
        },
        /// 2-D: 5 × 5, then a weighted median with visibility near motion edges (Sun, Roth, Black 2010).
        NonLocal = "non-local",
    }
}

impl Interpolation {
    /// As kernels know it.
    pub(crate) fn of_kernel(self) -> warp::Interpolation {
        match self {
            Self::Nearest => warp::Interpolation::Nearest,
            Self::Linear => warp::Interpolation::Linear,
            Self::CubicConvolution => warp::Interpolation::CubicConvolution,
            Self::CubicSpline => warp::Interpolation::CubicSpline,
        }
    }
}

impl Normalisation {
    /// How a constraint is scaled; ζ is the contrast below which it fades.
    pub(crate) fn constraint(self, zeta: f32) -> Constraint {
        match self {
            Self::Off => Constraint::Plain,
            Self::Distance => Constraint::Normalised { zeta },
        }
    }
}

impl IncrementUpdate {
    /// As kernels know it.
    pub(crate) fn of_kernel(self) -> compose::UpdateRule {
        match self {
            Self::Add => compose::UpdateRule::Add,
            Self::Compose => compose::UpdateRule::Compose,
        }
    }
}
