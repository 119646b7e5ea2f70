//! The parameters of the phase engine, and the presets.

use veloxel_core::{choices, parameters};
use veloxel_kernels::image::valid_median::MedianWindow;

parameters! {
    /// Every parameter of phase-based features, stereo and flow; symbols as in pauwels2012.
    ///
    /// Lengths are pixels of the pyramid level at hand unless a name says otherwise; intensities are the image's own.
    pub struct PhaseParameters of "phase";

    /// Named sets of parameters.
    pub enum PhasePreset {
        /// Wider medians on coarse levels and after the check; velocities are weighted by their fit.
        Accurate = "accurate",
        /// Less work: no checks, smaller medians, flow of three frames. Pixels that only one view sees get a value as well.
        Fast = "fast",
        /// The choices of Pauwels et al. 2012 (its CPU and GPU columns, of five frames), with the check of stereo that its Fig. 6 shows.
        Paper = "paper",
        /// A model of the FPGA of Pauwels et al. 2012: warped images, three frames, fixed point, plain sums.
        Hardware = "hardware",
    }

    /// Mean squared error of the line through the phases, below which a velocity counts.
    tau_l "τ_l": f32 in 1e-6..=10 "radians²" = 0.5;
    /// Frames that a flow field is estimated from.
    frames: FrameCount = Five { fast: Three, hardware: Three };
    /// Fewest orientations with a velocity that counts, for an estimate at a pixel; of seven for stereo.
    min_orientations: usize in 2..=8 = 4;
    /// Flow of two frames: largest distance between a pixel and the end of its path there and back. 0: no check.
    flow_check_px: f32 in 0..=1000 "pixels" = 2.0 { fast: 0.0 };
    /// Stereo: largest distance between a pixel of the left image and the end of its path to the right one and back. 0: no check.
    stereo_check_px: f32 in 0..=1000 "pixels" = 4.0 { accurate: 5.0, fast: 0.0 };
    /// Stereo: what joins the disparities of neighbours.
    stereo_smoothing: StereoSmoothing = Off { accurate: SemiGlobal };
    /// What becomes of pixels without an estimate on a level.
    unknown: UnknownPixels = PassThrough;
    /// Median filter of the finest level's estimates.
    median: PhaseMedian = Three;
    /// Median filter of the coarser levels' estimates.
    coarse_median: PhaseMedian = Three { accurate: Five };
    /// Median filter of the estimates that passed a check (disparities, or flow of two frames); it closes small holes.
    checked_median: PhaseMedian = Off { accurate: Five };
    /// How velocities of different orientations are weighted.
    weighing: VelocityWeighing = ByFit { paper: Alike, hardware: Alike };
    /// Most levels of the pyramid. 1: no pyramid, motion up to half a wavelength.
    max_levels: usize in 1..=13 = 13;
    /// Least short side of the coarsest level, for flow and features; flow of narrow pictures has three levels all the same.
    least_side_px: usize in 2..=4096 "pixels" = 16;
    /// Least short side of the coarsest level for stereo, whose shifts are larger and whose search is one-dimensional.
    stereo_least_side_px: usize in 2..=4096 "pixels" = 12;
    /// Standard deviation of the Gabor filters, before the Gaussian is lowered to end at zero. Small: well located; large: well
    /// tuned; 11 taps hold up to about 2.5.
    sigma_px "σ": f64 in 1..=4 "pixels" = 2.35;
    /// Intensity of white, from black; taken from the images unless it is set.
    full_scale: f32 in 1e-9..=1e9 = 255.0;
    /// Share of full scale that a response must reach to have a phase.
    least_magnitude: f32 in 0..=1 = 1e-5;
    /// What is warped by the coarser level's estimate.
    warping: WarpedData = Responses { hardware: Images };
    /// How responses become a local phase.
    feature_sums: FeatureSums = Weighted { hardware: Plain };
    /// Numbers from the responses on.
    arithmetic: PhaseArithmetic = Float { hardware: Fixed };
}

choices! {
    /// What is warped by the coarser level's estimate.
    pub enum WarpedData {
        /// Phases of the filter responses.
        Responses = "responses",
        /// Images, which are filtered anew on every level (pauwels2012, sections 4.2 and 5.2: the hardware's); stereo has no
        /// right view to check with then.
        Images = "images",
    }

    /// What joins the disparities of neighbours.
    pub enum StereoSmoothing {
        /// Medians alone: the disparities are those of the phases.
        Off = "off",
        /// Costs of the census along rows and columns (Hirschmüller 2008), with the phases for fractions of a pixel; what only
        /// the left view sees is filled in from behind.
        SemiGlobal = "semi-global",
    }

    /// Numbers from the responses on.
    pub enum PhaseArithmetic {
        /// 32-bit floating point.
        Float = "float",
        /// Fixed point of the hardware's widths: flow and disparity 8.4 bits, features 9 (pauwels2012, sections 4.2 to 6.2.3).
        Fixed = "fixed",
    }

    /// Frames a flow field is estimated from.
    pub enum FrameCount {
        /// The field belongs to the first; checked by the field back.
        Two = "two",
        /// The field belongs to the second.
        Three = "three",
        /// The field belongs to the third (pauwels2012).
        Five = "five",
    }

    /// How velocities of different orientations are weighted.
    pub enum VelocityWeighing {
        /// All that count alike (pauwels2012).
        Alike = "alike",
        /// By how well a line fits the phase: 1/(1 + 20 e), e in radians².
        ByFit = "by-fit",
    }

    /// What becomes of pixels without an estimate on a level.
    pub enum UnknownPixels {
        /// The coarser level's estimate stands and finer levels try again; disparities, which are checked, keep it at the end.
        PassThrough = "pass-through",
        /// They stay unknown on this level; stereo does not try again on finer ones.
        Stay = "stay",
    }

    /// Median filter of estimates.
    pub enum PhaseMedian {
        /// No filter.
        Off = "off",
        /// 3×3 (pauwels2012).
        Three = "three",
        /// 5×5.
        Five = "five",
    }

    /// How responses become a local phase.
    pub enum FeatureSums {
        /// Weighted by energy and orientation (pauwels2012, eq. 6-7).
        Weighted = "weighted",
        /// Plain sums (pauwels2012, section 3.2: the hardware's).
        Plain = "plain",
    }
}

impl FrameCount {
    /// 2, 3 or 5.
    pub const fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
            Self::Five => 5,
        }
    }
    /// 2, 3 or 5 frames.
    pub(crate) fn of_count(count: usize) -> Option<Self> {
        [Self::Two, Self::Three, Self::Five].into_iter().find(|frames| frames.count() == count)
    }
    /// Index of the frame the field belongs to.
    pub const fn centre(self) -> usize {
        (self.count() - 1) / 2
    }
}

impl PhaseMedian {
    pub(crate) const fn window(self) -> MedianWindow {
        match self {
            Self::Off => MedianWindow::One,
            Self::Three => MedianWindow::Three,
            Self::Five => MedianWindow::Five,
        }
    }
}

impl PhaseParameters {
    /// Whether the field back is estimated as well, to check with.
    pub(super) fn is_checked(&self) -> bool {
        self.frames == FrameCount::Two && self.flow_check_px > 0.0
    }
}
