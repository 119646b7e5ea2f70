//! The parameters of [`BlockMatching`](crate::BlockMatching), and the presets.

use crate::steps::choices::{IntensityMapping, Interpolation};
use veloxel_core::{choices, parameters};
use veloxel_kernels::matching::best_candidate::{SubVoxel, Symmetry};
use veloxel_kernels::matching::window_scores;

parameters! {
    /// Every parameter of pyramidal block matching; symbols as on the page of [`crate::block_matching`].
    ///
    /// Lengths are voxels of the pyramid level at hand; intensities are mapped to [0, 1] first.
    pub struct BlockMatchingParams of "block-matching";

    /// A named set of parameters.
    pub enum BlockMatchingPreset {
        /// The best accuracy: a vector for every voxel, smooth with its neighbours.
        Accurate = "accurate",
        /// Little work for its accuracy.
        Fast = "fast",
        /// Blocks beside each other, each for itself, to whole voxels, on five levels: as in the paper.
        Paper = "paper",
    }

    /// What a match is measured by.
    measure: MatchMeasure = Ncc;
    /// Half width of a block, which is B = 2 r + 1 voxels wide. Small: details, and noise gets through; large: the mean motion.
    radius "r": usize in 1..=16 "voxels" = 2 { accurate.volume: 6, fast.volume: 3, paper: 4 };
    /// Voxels from block to block; between their centres the flow is interpolated. 1: a block around every voxel.
    stride "s": usize in 1..=64 "voxels" = 1 { paper: 9 };
    /// The farthest candidate of a level's first search, along every axis. The motion that is found grows with it and with 2 to
    /// the number of levels.
    reach "R": usize in 1..=8 "voxels" = 1 { accurate.image: 2, paper: 3 };
    /// The farthest candidate of a level's later searches, around the motion found so far.
    later_reach: usize in 1..=8 "voxels" = 1;
    /// Searches of a level, the moving image warped before each one.
    searches "K": usize in 1..=100 = 3 { accurate.volume: 4, fast: 2, paper: 1 };
    /// Searches of a level that count in full; the nth one after them goes (K/n)⁴ of its way, so that a level settles however
    /// many there are. 0: all count in full.
    full_searches: usize in 0..=100 = 0 { accurate.volume: 4 };
    /// Deviation below which a block counts as flat. Small: noise matches noise; large: faint texture is not seen.
    floor "ε": f32 in 1e-6..=1 = 0.005 { accurate.volume: 0.02, fast.volume: 0.02, paper: 1e-3 };
    /// Weight of the images' derivatives in the measure. 0: off.
    gamma "γ": f32 in 0..=100 = 0.0 { accurate.image: 0.5 };
    /// Whose blocks are compared; where stride is above 1: one-sided.
    ends: ScoredEnds = Both { paper: Fixed };
    /// Penalty on long increments, per voxel²: it breaks ties between blocks. 0: none.
    increment_cost "λ₀": f32 in 0..=100 = 0.01 { accurate.volume: 0.001, fast: 0.03, paper: 1e-6 };
    /// Weight of the neighbours' mean displacement against the measure, per voxel². 0: every block for itself.
    smoothness "λ": f32 in 0..=100 = 0.1 { fast: 0.3, paper: 0.0 };
    /// Standard deviation of the window of that mean, blocks.
    smoothness_sigma: f64 in 0.3..=16 "blocks" = 2.0 { fast.image: 3.0 };
    /// Passes in which every block chooses again, given the choices of its neighbours, where smoothness is above 0.
    sweeps: usize in 1..=100 = 1 { accurate: 3 };
    /// Half width of the median filter after each search. 0: off.
    median: usize in 0..=3 "blocks" = 2 { accurate.volume: 1, fast.volume: 1, paper: 0 };
    /// Where between candidates the best match lies.
    sub_voxel: MatchSubVoxel = Parabola { paper: Off };
    /// What the map of confidence holds.
    confidence: MatchQuality = Error;
    /// Interpolation of the moving image.
    interpolation: Interpolation = CubicSpline { paper: Linear };
    /// Most levels of the pyramid, each half as wide as the next finer one. 1: no pyramid.
    max_levels: usize in 1..=64 = 64 { paper: 5 };
    /// How intensities are mapped; raw leaves them as they are.
    intensity: IntensityMapping = Percentiles;
}

choices! {
    /// What a match is measured by.
    pub enum MatchMeasure {
        /// Normalised cross-correlation: blind to gain and offset (the paper's choice).
        Ncc = "ncc",
        /// Sum of squared differences.
        Ssd = "ssd",
        /// Sum of absolute differences.
        Sad = "sad",
    }

    /// Whose blocks a candidate is scored by.
    pub enum ScoredEnds {
        /// The fixed image's (the paper's).
        Fixed = "fixed",
        /// The blocks around both of its ends, so that equal images match exactly without motion.
        Both = "both",
    }

    /// What the map of confidence holds.
    pub enum MatchQuality {
        /// 0 to 1, by the error that a vector and its neighbours suggest.
        Error = "error",
        /// The normalised cross-correlation of the matched blocks as it is, −1 to 1 (the paper's measure of quality).
        Ncc = "ncc",
    }

    /// Where the best match lies.
    pub enum MatchSubVoxel {
        /// At a candidate (the paper's).
        Off = "off",
        /// At the peak of a parabola along each axis.
        Parabola = "parabola",
    }
}

impl BlockMatchingParams {
    /// The measures of images, and of their derivatives.
    pub(super) fn measures(&self) -> [window_scores::ScoreMeasure; 2] {
        use window_scores::ScoreMeasure;
        let floor = self.floor;
        match self.measure {
            MatchMeasure::Ncc => [ScoreMeasure::Ncc { floor }, ScoreMeasure::Correlation { floor }],
            MatchMeasure::Ssd => [ScoreMeasure::Ssd; 2],
            MatchMeasure::Sad => [ScoreMeasure::Sad; 2],
        }
    }

    /// What scores are multiplied by: differences count in units of a tenth of the image's range, so that the weights beside
    /// them mean about the same for every measure.
    pub(super) fn score_gain(&self) -> f32 {
        match self.measure {
            MatchMeasure::Ncc => 1.0,
            MatchMeasure::Ssd => 100.0,
            MatchMeasure::Sad => 10.0,
        }
    }

    pub(super) fn symmetry(&self) -> Symmetry {
        match self.ends {
            ScoredEnds::Both if self.stride == 1 => Symmetry::BothEnds,
            _ => Symmetry::OneSided,
        }
    }

    pub(super) fn sub_voxel(&self) -> SubVoxel {
        match self.sub_voxel {
            MatchSubVoxel::Off => SubVoxel::Off,
            MatchSubVoxel::Parabola => SubVoxel::Parabola,
        }
    }
}
