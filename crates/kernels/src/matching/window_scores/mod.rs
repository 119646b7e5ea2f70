//! How well the window around every block's centre matches the moving image at every candidate shift.
//!
//! *In*: pairs of images on one grid, the fixed one and the moving one as warped so far; a weight for every voxel of the
//! fixed image, if some count less. *Out*: a score for every candidate and block, the larger the better; candidate
//! `c = (c_x, c_y, c_z)` stands at `((c_z + R_z) (2 R_y + 1) + c_y + R_y) (2 R_x + 1) + c_x + R_x`, one volume of blocks each.
//! *Scores*, with sums over a window of weights w, and n = Σ w; ε keeps noise in flat windows from matching noise:
//!
//! ```text
//! ncc          (Σ w f m / n − f̄ m̄) / √((σ_f² + ε²) (σ_m² + ε²))      f̄ = Σ w f / n,  σ_f² = Σ w f² / n − f̄²
//! correlation  Σ w f·m / n / √((Σ w |f|² / n + ε²) (Σ w |m|² / n + ε²))
//! ssd, sad     −Σ w |f − m|² / n,  −Σ w |f − m| / n
//! ```
//!
//! A window without weight scores 0 for every candidate. The variance of the paper's formula is divided by n − 1; the ratio
//! does not change by that. *Several pairs* (derivatives along every axis) are summed before the ratio is taken.
//! *Blocks*: `nodes` along every axis, evenly spaced: centre i is voxel `⌊(2 i + 1) n / (2 nodes)⌋`; with as many nodes as
//! voxels there is one at every voxel. *Border*: replicate, of images and weights. *Halo*: radius + reach.
//! *Order of the sums*: along z, then y, then x, each from the first sample to the last, so that every device computes the same
//! bits. The processor shares sums along z and y between rows, and its cost grows with the width of a window, not with its
//! volume.

mod cpu;
#[cfg(test)]
mod parity;

use crate::bindings::{bindings, block};
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("window scores", Bindings, [], "window_scores.wgsl");
static DENSE_NCC: ShaderSource = wgsl!("window scores", DenseBindings, [], "dense_ncc.wgsl");

block! {
    /// Numbers that both texts need.
    struct Block {
        /// Size of the image, and of the grid of blocks, along x, y, z.
        size: vec4<u32>,
        nodes: vec4<u32>,
        radius: vec4<u32>,
        reach: vec4<u32>,
        /// The reciprocal of the number of voxels of a window.
        share: f32,
        /// The squared floor ε².
        floor2: f32,
        gain: f32,
    }
}

bindings! {
    /// What a launch of any measure binds.
    struct Bindings<'a> {
        block: Block,
        scores: write f32,
        fixed_0: may_read f32,
        fixed_1: may_read f32,
        fixed_2: may_read f32,
        moving_0: may_read f32,
        moving_1: may_read f32,
        moving_2: may_read f32,
        weight: may_read f32,
    }
}

bindings! {
    /// What a launch of `dense_ncc.wgsl` binds.
    struct DenseBindings<'a> {
        block: Block,
        scores: write f32,
        fixed: read f32,
        moving: read f32,
    }
}
/// The greatest half width and the farthest candidate of such launches, pixels, and their tiles' width and height.
const DENSE_NCC_MOST: usize = 2;
const TILE: [usize; 2] = [32, 8];

/// The measure of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScoreMeasure {
    /// Normalised cross-correlation about the windows' means: blind to gain and offset.
    Ncc {
        /// Deviation ε below which a window counts as flat; above 0.
        floor: f32,
    },
    /// Correlation of values that have no mean to remove, such as derivatives.
    Correlation {
        /// Magnitude ε below which a window counts as flat; above 0.
        floor: f32,
    },
    /// Minus the mean squared difference.
    Ssd,
    /// Minus the mean absolute difference.
    Sad,
}

impl ScoreMeasure {
    fn floor(self) -> f32 {
        match self {
            Self::Ncc { floor } | Self::Correlation { floor } => floor,
            Self::Ssd | Self::Sad => 0.0,
        }
    }
    /// The number of the measure in `window_scores.wgsl`.
    fn index(self) -> u8 {
        match self {
            Self::Ncc { .. } => 0,
            Self::Correlation { .. } => 1,
            Self::Ssd => 2,
            Self::Sad => 3,
        }
    }
}

/// The windows and the candidates: voxels on either side along every axis; 0 along axes of one voxel and, in 2-D, along z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSearch {
    /// Half width of a window.
    pub radius: Axes<usize>,
    /// Distance of the farthest candidate.
    pub reach: Axes<usize>,
}

impl BlockSearch {
    /// A search with one radius and one reach along every axis of more than one voxel.
    pub fn isotropic(shape: Shape, radius: usize, reach: usize) -> Self {
        let along = |vox: usize| {
            let counts = |a: usize| a < shape.components() && shape.size[a] > 1;
            [0, 1, 2].map(|a| if counts(a) { vox } else { 0 })
        };
        Self { radius: along(radius), reach: along(reach) }
    }
    /// Number of candidates along each axis.
    pub fn widths(&self) -> Axes<usize> {
        self.reach.map(|r| 2 * r + 1)
    }
    /// Number of all candidates.
    pub fn candidates(&self) -> usize {
        self.widths().iter().product()
    }
    /// The place of a candidate along each axis, counted from the first one.
    pub(super) fn place(&self, candidate: usize) -> Axes<usize> {
        let [wx, wy, _] = self.widths();
        [candidate % wx, candidate / wx % wy, candidate / (wx * wy)]
    }
    /// Number of voxels of a window.
    fn voxels(&self) -> usize {
        self.radius.iter().map(|r| 2 * r + 1).product()
    }
}

/// What happens to the scores that the output holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreOutput {
    /// New scores overwrite them.
    Overwrite,
    /// New scores are added to them.
    Add,
}

/// The centre of block `i` of `nodes` along an axis of `count` voxels.
pub(crate) fn centre(i: usize, nodes: usize, count: usize) -> usize {
    (2 * i + 1) * count / (2 * nodes)
}

/// Scores every candidate of every block.
#[derive(Debug)]
pub struct WindowScores<'a> {
    /// Shape of the images.
    pub shape: Shape,
    /// Shape of the grid of blocks.
    pub nodes: Shape,
    /// The windows and the candidates.
    pub search: BlockSearch,
    /// The measure of a match.
    pub measure: ScoreMeasure,
    /// One to three fixed images, each with its moving image.
    pub pairs: &'a [(&'a Buffer, &'a Buffer)],
    /// Weight of every voxel of the fixed image, 0 to 1; none for 1 everywhere.
    pub weight: Option<&'a Buffer>,
    /// Factor of a score.
    pub gain: f32,
    /// Whether scores are added up.
    pub output: ScoreOutput,
    /// The scores.
    pub scores: &'a mut Buffer,
}

impl Kernel for WindowScores<'_> {
    const NAME: &'static str = "window_scores";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.count("pairs", self.pairs.len(), 1..=3).optional("weight", self.weight, n);
        for (fixed, moving) in self.pairs {
            lengths.of("fixed", fixed, n).of("moving", moving, n);
        }
        lengths.of("scores", self.scores, self.search.candidates() * self.nodes.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::window_scores(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (search, nodes, floor) = (self.search, self.nodes.size, self.measure.floor());
        let block = Block {
            size: self.shape.size.into(),
            nodes: nodes.into(),
            radius: search.radius.into(),
            reach: search.reach.into(),
            share: 1.0 / search.voxels() as f32,
            floor2: floor * floor,
            gain: self.gain,
        };
        if let Some((fixed, moving)) = of_dense_ncc(&self) {
            return gpu
                .launch(&DENSE_NCC, "dense_ncc")
                .constants([("RADIUS", search.radius[0]), ("REACH", search.reach[0])])
                .constant("LINES", if search.reach[0] < 2 { 2 * search.reach[0] + 1 } else { 1 })
                .bind(&DenseBindings { block, scores: self.scores, fixed, moving })
                .run_over(nodes, TILE);
        }
        let [(fixed_0, moving_0), (fixed_1, moving_1), (fixed_2, moving_2)] =
            [0, 1, 2].map(|channel| self.pairs.get(channel).copied().unzip());
        let Self { scores, weight, .. } = self;
        let bindings =
            Bindings { block, scores, fixed_0, fixed_1, fixed_2, moving_0, moving_1, moving_2, weight };
        let lines = search.widths()[1] * search.widths()[2];
        gpu.launch(&SOURCE, "window_scores")
            .constant("MEASURE", u32::from(self.measure.index()))
            .constants([("MASKED", weight.is_some()), ("ADD", self.output == ScoreOutput::Add)])
            .constant("CHANNELS", self.pairs.len())
            .bind(&bindings)
            .run_over([nodes[0], nodes[1], nodes[2] * lines], [32, 8])
    }
}

/// The images, if `dense_ncc.wgsl` can score them: blocks around every pixel of a picture, equal along both axes.
fn of_dense_ncc<'a>(args: &WindowScores<'a>) -> Option<(&'a Buffer, &'a Buffer)> {
    let BlockSearch { radius: [rx, ry, _], reach: [x, y, _] } = args.search;
    let is_dense = args.shape == args.nodes && args.shape.components() == 2 && args.weight.is_none();
    let is_small = (1..=DENSE_NCC_MOST).contains(&rx) && x <= DENSE_NCC_MOST && [rx, x] == [ry, y];
    match (args.measure, args.output, args.pairs) {
        (ScoreMeasure::Ncc { .. }, ScoreOutput::Overwrite, [pair]) if is_dense && is_small => Some(*pair),
        _ => None,
    }
}
