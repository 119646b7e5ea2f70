//! Pyramidal block matching: two images in (`f32`, 2-D or 3-D), each on a grid of its own; a displacement of the fixed grid in
//! voxels with a confidence for every vector out. In 3-D: speckle tracking.
//!
//! *Paper*: "GPU-accelerated optical flow and face clustering", GPGPU 2011, section 3.2; its future work (section 6.1): a
//! measure with the images' derivatives, and smoothness over neighbours.
//!
//! *Energy* of the increments δ(x) around the displacement d0, over all candidates δ of a search and between them:
//!
//! ```text
//! E(δ) = Σ_x  −½ (S_δ(x) + S_δ(x − δ)) + λ₀ |δ|² + λ |d0 + δ − K * (d0 + δ)|²,      S = NCC(I) + γ NCC(∇I)
//! ```
//!
//! *Notation*
//!
//! | paper | code | unit |
//! |---|---|---|
//! | v | `displacement` (total), `increment` | edges: the smallest voxel edge of a level |
//! | B | `2 radius + 1` | voxels |
//! | NCC | [`veloxel_kernels::matching::window_scores`] | −1 to 1 |
//! | – | `reach`, `later_reach` R; `searches`; `stride` s | voxels |
//! | – | `increment_cost` λ₀, `smoothness` λ, `gamma` γ | |
//!
//! *Where we differ from the paper*, each by a parameter whose `paper` preset is the paper's choice: a block around every
//! voxel; the best candidate to a fraction of a voxel; several searches a level, each on the image warped by what the last
//! one found, so that blocks follow motion that changes within them and rounding does not stay; scores of the blocks at both
//! ends of a candidate; smoothness; a median. The paper names neither block size nor reach: 9 and 3 here. Argmax on the device.
//! *Between blocks* (stride above 1) the flow is interpolated linearly; the paper gives every voxel its block's vector.
//! *Masks* weigh voxels; a vector whose block holds no weight is NaN, with confidence 0. What lies outside of the images is
//! their outermost sample.
//! *Confidence*: [`veloxel_kernels::matching::match_confidence`], or by `confidence` the raw NCC of the matched blocks.
//!
//! *Cost*: a search keeps the score of every candidate, (2R + 1)^D volumes; time grows with the width of a block on
//! processors, with its volume on GPUs.
//! *Evidence*: `tests/motion/block_matching.rs`; docs/algorithms/block_matching.md; docs/status/accuracy.md (Middlebury).
//! *Limits*: motion beyond R (2^L − 1) voxels is lost; small things that move farther than their size are lost with the
//! coarse levels; a block over a motion boundary takes one side.

mod level;
pub mod parameters;

use crate::method::footprint::{Footprint, Tiling};
use crate::method::start::coarsening;
use crate::steps::choices::IntensityMapping;
use crate::steps::image_pyramids::{Preparation, preparation_vox};
use crate::steps::intensity::IntensityMap;
use crate::steps::level_by_level::{LevelByLevel, LevelFound, LevelSolver, LevelTask};
use crate::steps::level_steps::TRUNCATE;
use crate::steps::pyramid::{LevelGeometry, levels};
use level::{BlockMatchingLevel, Searches};
use parameters::{BlockMatchingParams, MatchMeasure};
use veloxel_core::{Grid, Shape};
use veloxel_gpu::{ComputeError, Field};
use veloxel_kernels::Taps;

/// Size of a level over that of the next finer one.
const ETA: f64 = 0.5;

/// Voxels that overlapping tiles share beyond their seams, in 2-D and 3-D.
const GUARD_VOX: [usize; 2] = [56, 24];
/// A central difference of fourth order.
const GRADIENT_VOX: usize = 2;

/// The method, opened for one grid.
pub type BlockMatching = LevelByLevel<BlockMatchingParams>;

impl LevelSolver for BlockMatchingParams {
    const WEIGHS: bool = false;

    type Memory = ();
    type Diagnostics = Searches;

    fn levels(&self, grid: &Grid) -> Vec<LevelGeometry> {
        levels(grid, ETA, self.max_levels)
    }
    fn preparation(&self) -> Preparation {
        Preparation {
            presmooth: 0.0,
            lcc_sigma: 0.0,
            interpolation: self.interpolation.of_kernel(),
            noise: None,
        }
    }
    fn intensity(&self) -> IntensityMapping {
        self.intensity
    }
    fn maps(&self, [fixed, moving]: [IntensityMap; 2]) -> [IntensityMap; 2] {
        let maps = match (self.intensity, self.measure) {
            (IntensityMapping::Raw, _) => [IntensityMap::IDENTITY; 2],
            // Correlation is blind to gain and offset, its floor is not: each image has a map of its own.
            (IntensityMapping::Percentiles, MatchMeasure::Ncc) => [fixed, moving],
            _ => [fixed; 2],
        };
        maps.map(IntensityMap::centred)
    }
    fn iterations_of(&self, _: usize) -> usize {
        self.searches
    }
    fn drift_edges(&self, _: usize, finest: &LevelGeometry) -> f32 {
        // A peak may lie half a voxel beyond the last candidate.
        let reach = self.reach + (self.searches - 1) * self.later_reach;
        let widest = finest.spacing_edges.into_iter().fold(1.0, f32::max);
        widest * (reach as f32 + 0.5 * self.searches as f32)
    }
    /// The scores of all candidates are the largest part; there are as many of the first search as of any.
    fn footprint(&self, shape: Shape) -> Footprint {
        let d = shape.components();
        let widest = |reach: usize| 2 * reach + 1;
        let candidates = widest(self.reach.max(self.later_reach)).pow(d as u32);
        let nodes_share = (self.stride as f64).powi(-(d as i32));
        let gradients = if self.gamma > 0.0 { 2 * d } else { 0 };
        // Images with their coarser levels, the warped one; and on the blocks' grid scores, displacement, increment and mean.
        let images = 2.0 / (1.0 - ETA.powi(d as i32)) + 1.0;
        let of_blocks = (candidates + 3 * d) as f64 * nodes_share;
        // Beside these, while the confidence is made: quality, error, confidence, and the mean of the field around.
        let concluding = 2.4 + 1.2 * d as f64 + if self.stride > 1 { d as f64 } else { 0.0 };
        let tiling = match self.stride {
            1 => self.tiling(d),
            _ => Tiling::Never,
        };
        Footprint { samples_per_voxel: images + gradients as f64 + of_blocks + concluding, tiling }
    }

    /// The grid of blocks, each of `stride` voxels along every axis.
    fn nodes(&self, level: &LevelGeometry) -> LevelGeometry {
        let size = level.shape.size.map(|n| n.div_ceil(self.stride));
        LevelGeometry { shape: Shape { size, ..level.shape }, ..level.clone() }
    }

    fn run_level(
        &self,
        task: LevelTask<'_>,
        (): &mut (),
        displacement: &mut Field,
    ) -> Result<LevelFound<Searches>, ComputeError> {
        let mut level = BlockMatchingLevel::new(self, task)?;
        let run = level.run(displacement)?;
        let certainty = (task.nth == 0).then(|| level.conclude(displacement)).transpose()?;
        Ok(LevelFound { run, certainty })
    }
}

impl BlockMatchingParams {
    /// The window of the neighbours' mean displacement.
    fn smoothness_window(&self) -> Taps {
        Taps::gaussian(self.smoothness_sigma, TRUNCATE)
    }

    /// How far vectors see, where every voxel has a block.
    fn tiling(&self, d: usize) -> Tiling {
        let gradients_vox = if self.gamma > 0.0 { GRADIENT_VOX } else { 0 };
        let window_vox = self.smoothness_window().radius();
        let sweeps = if self.smoothness > 0.0 { self.sweeps } else { 0 };
        // A candidate's window, and that of the voxel that is sent here.
        let search =
            |reach: usize| gradients_vox + self.radius + 2 * reach + sweeps * window_vox + self.median;
        let level = search(self.reach) + (self.searches - 1) * search(self.later_reach);
        let level = level + preparation_vox(self.preparation());
        Tiling::Local {
            halo_vox: [level + self.radius + BlockMatchingLevel::confidence_reach_vox(), level],
            eta: ETA,
            max_levels: self.max_levels,
            guard_vox: GUARD_VOX[d - 2],
            coarsening: coarsening(ETA, 0),
        }
    }
}
