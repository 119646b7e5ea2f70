//! The parameters of the phase engine, and the presets.

use crate::MotionError;
use serde::{Deserialize, Serialize};
use veloxel_compute::kernels::valid_median::Window;

/// Every choice of phase-based features, stereo and flow; symbols as in pauwels2012.
///
/// Lengths are pixels of the pyramid level at hand unless a name says otherwise; intensities are the image's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseParameters {
    /// Most levels of the pyramid; 1: no pyramid, motion up to half a wavelength. [1, 13]
    pub max_levels: usize,
    /// The short side of the coarsest level of flow and features is at least this, pixels. [2, 4096]
    pub least_side_px: usize,
    /// The same for stereo, whose shifts are larger and whose search is one-dimensional. [2, 4096]
    pub stereo_least_side_px: usize,
    /// σ of the Gabor filters, pixels, before the Gaussian is lowered to end at zero. Small: well located; large: well tuned; 11
    /// taps hold up to about 2.5. [1, 4]
    pub sigma_px: f64,
    /// Intensity of white, from black. (0, 1e9]
    pub full_scale: f32,
    /// Share of full scale that a response must reach to have a phase. [0, 1)
    pub least_magnitude: f32,
    /// Frames a field is estimated from.
    pub frames: Frames,
    /// τ_l: mean squared error of the line through the phases, radians², below which a velocity counts. (0, 10]
    pub tau_l: f32,
    /// Orientations that must count at a pixel; of stereo's seven as well. [2, 8]
    pub min_orientations: usize,
    /// How velocities of different orientations are weighed.
    pub weighing: Weighing,
    /// Flow of two frames: largest distance between a pixel and where the way there and back ends, pixels; 0: no check. [0, 1000]
    pub flow_check_px: f32,
    /// Stereo: the same between the left and the right image's disparities; 0: no check. [0, 1000]
    pub stereo_check_px: f32,
    /// What becomes of pixels without an estimate on a level.
    pub unknown: Unknown,
    /// Median filter of the finest level's estimates.
    pub median: PhaseMedian,
    /// Median filter of the coarser levels' estimates.
    pub coarse_median: PhaseMedian,
    /// Median filter of what a check leaves, disparities or the flow of two frames; it closes small holes.
    pub checked_median: PhaseMedian,
    /// How responses become a local phase.
    pub feature_sums: FeatureSums,
    /// What is warped by the coarser level's estimate.
    pub warping: Warping,
    /// Numbers from the responses on.
    pub arithmetic: Arithmetic,
}

/// What is warped by the coarser level's estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warping {
    /// Phases of the filter responses.
    Responses,
    /// Images, which are filtered anew on every level (pauwels2012, sections 4.2 and 5.2: the hardware's); stereo has no right
    /// view to check with then.
    Images,
}

/// Numbers from the responses on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// 32-bit floating point.
    Float,
    /// Fixed point of the hardware's widths: flow and disparity 8.4 bits, features 9 (pauwels2012, sections 4.2 to 6.2.3).
    Fixed,
}

/// Frames a flow field is estimated from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Frames {
    /// The field belongs to the first; checked by the field back.
    Two,
    /// The field belongs to the second.
    Three,
    /// The field belongs to the third (pauwels2012).
    Five,
}

impl Frames {
    /// 2, 3 or 5.
    pub const fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
            Self::Five => 5,
        }
    }
    /// Index of the frame the field belongs to.
    pub const fn centre(self) -> usize {
        (self.count() - 1) / 2
    }
}

/// How velocities of different orientations are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighing {
    /// All that count alike (pauwels2012).
    Alike,
    /// By how well a line fits the phase: 1/(1 + 20 e), e in radians².
    ByFit,
}

/// What becomes of pixels without an estimate on a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknown {
    /// The coarser level's estimate stands and finer levels try again; disparities, which are checked, keep it at the end.
    PassThrough,
    /// They stay unknown on this level; stereo does not try again on finer ones.
    Stay,
}

/// Median filter of estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseMedian {
    /// None.
    Off,
    /// 3×3 (pauwels2012).
    Three,
    /// 5×5.
    Five,
}

impl PhaseMedian {
    pub(crate) const fn window(self) -> Window {
        match self {
            Self::Off => Window::One,
            Self::Three => Window::Three,
            Self::Five => Window::Five,
        }
    }
}

/// How responses become a local phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureSums {
    /// Weighted by energy and orientation (pauwels2012, eq. 6-7).
    Weighted,
    /// Plain sums (pauwels2012, section 3.2: the hardware's).
    Plain,
}

/// Named sets of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhasePreset {
    /// The default: wider medians on coarse levels and after the check, velocities weighed by their fit.
    Accurate,
    /// The paper's choices (its CPU and GPU columns), with the check of stereo that its Fig. 6 shows.
    Paper,
    /// The paper's FPGA as a model: images are warped, three frames, fixed point, plain sums.
    Hardware,
}

impl PhaseParameters {
    /// The parameters of a preset.
    pub fn preset(preset: PhasePreset) -> Self {
        let accurate = Self {
            max_levels: 13,
            least_side_px: 16,
            stereo_least_side_px: 12,
            sigma_px: 2.35,
            full_scale: 255.0,
            least_magnitude: 1e-5,
            frames: Frames::Five,
            tau_l: 0.5,
            min_orientations: 4,
            weighing: Weighing::ByFit,
            flow_check_px: 2.0,
            stereo_check_px: 5.0,
            unknown: Unknown::PassThrough,
            median: PhaseMedian::Three,
            coarse_median: PhaseMedian::Five,
            checked_median: PhaseMedian::Five,
            feature_sums: FeatureSums::Weighted,
            warping: Warping::Responses,
            arithmetic: Arithmetic::Float,
        };
        match preset {
            PhasePreset::Accurate => accurate,
            PhasePreset::Paper => Self {
                weighing: Weighing::Alike,
                stereo_check_px: 4.0,
                coarse_median: PhaseMedian::Three,
                checked_median: PhaseMedian::Off,
                ..accurate
            },
            PhasePreset::Hardware => Self {
                frames: Frames::Three,
                feature_sums: FeatureSums::Plain,
                warping: Warping::Images,
                arithmetic: Arithmetic::Fixed,
                ..Self::preset(PhasePreset::Paper)
            },
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`MotionError::Parameter`] with the first parameter that lies outside.
    pub fn validate(&self) -> Result<(), MotionError> {
        let check = |ok: bool, name, got: String, expected| {
            if ok { Ok(()) } else { Err(MotionError::Parameter { name, got, expected }) }
        };
        for (name, count, low, high, expected) in [
            ("max_levels", self.max_levels, 1, 13, "1 to 13"),
            ("least_side_px", self.least_side_px, 2, 4096, "2 to 4096 pixels"),
            ("stereo_least_side_px", self.stereo_least_side_px, 2, 4096, "2 to 4096 pixels"),
            ("min_orientations", self.min_orientations, 2, 8, "2 to 8"),
        ] {
            check((low..=high).contains(&count), name, count.to_string(), expected)?;
        }
        for (name, value, low, high, expected) in [
            ("sigma_px", self.sigma_px, 1.0, 4.0, "1 to 4 pixels"),
            ("full_scale", f64::from(self.full_scale), 1e-9, 1e9, "1e-9 to 1e9"),
            ("least_magnitude", f64::from(self.least_magnitude), 0.0, 1.0, "0 to 1"),
            ("tau_l", f64::from(self.tau_l), 1e-6, 10.0, "1e-6 to 10 radians²"),
            ("flow_check_px", f64::from(self.flow_check_px), 0.0, 1e3, "0 to 1000 pixels"),
            ("stereo_check_px", f64::from(self.stereo_check_px), 0.0, 1e3, "0 to 1000 pixels"),
        ] {
            // Seven digits: 1e-6 as `f32` lies a little below 1e-6.
            let is_within = value >= low * (1.0 - 1e-7) && value <= high * (1.0 + 1e-7);
            check(is_within, name, value.to_string(), expected)?;
        }
        Ok(())
    }

    /// Magnitude that a response must exceed to have a phase, intensities.
    pub(crate) fn least_response(&self) -> f32 {
        self.least_magnitude * self.full_scale
    }
}

impl Default for PhaseParameters {
    /// The `accurate` preset.
    fn default() -> Self {
        Self::preset(PhasePreset::Accurate)
    }
}
