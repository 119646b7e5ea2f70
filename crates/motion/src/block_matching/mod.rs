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
//! | – | `rest` λ₀, `smoothness` λ, `gamma` γ | |
//!
//! *Where we differ from the paper*, each by a parameter whose `paper` preset is the paper's choice: a block around every
//! voxel; the best candidate to a fraction of a voxel; several searches a level, each on the image warped by what the last
//! one found, so that blocks follow motion that changes within them and rounding does not stay; scores of the blocks at both
//! ends of a candidate; smoothness; a median. The paper names neither block size nor reach: 9 and 3 here. Argmax on the device.
//! *Between blocks* (stride above 1) the flow is interpolated linearly; the paper gives every voxel its block's vector.
//! *Masks* weigh voxels; a vector whose block holds no weight is NaN, with confidence 0. What lies outside of the images is
//! their outermost sample.
//! *Confidence*: [`veloxel_kernels::matching::match_confidence`].
//!
//! *Cost*: a search keeps the score of every candidate, (2R + 1)^D volumes; time grows with the width of a block on
//! processors, with its volume on GPUs.
//! *Evidence*: `tests/motion/block_matching.rs`; docs/algorithms/block_matching.md; docs/status/accuracy.md (Middlebury).
//! *Limits*: motion beyond R (2^L − 1) voxels is lost; small things that move farther than their size are lost with the
//! coarse levels; a block over a motion boundary takes one side.

mod diagnostics;
mod footprint;
mod level;
mod local;
pub mod parameters;

use crate::Footprint;
use crate::clg::parameters::Intensity;
use crate::frame::common_map;
use crate::image_pyramids::{ImagePyramids, RawImages};
use crate::intensity::IntensityMap;
use crate::level_account::LevelsAccount;
use crate::local_method::LocalMethod;
use crate::method::{DenseMethod, ImagePair, PairMethod};
use crate::moving_image::voxel_map;
use crate::pending_flow::{Found, PendingFlow};
use crate::pyramid::{LevelGeometry, levels, transfer};
use crate::resident::{ResidentFlow, ResidentStart};
use crate::start::{levels_used, start_on_coarsest};
use crate::{MotionError, Observer, Step};
use footprint::footprint;
use level::{Level, nodes_of, on_grid};
use parameters::{BlockMatchingParams, MatchMeasure};
use veloxel_core::Grid;
use veloxel_core::parameters::Parameters;
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::warp;
use veloxel_kernels::variational::total_displacement::ToVoxels;

/// Size of a level over that of the next finer one.
const ETA: f64 = 0.5;

/// The method, opened for one grid.
#[derive(Debug)]
pub struct BlockMatching {
    device: Device,
    grid: Grid,
    params: BlockMatchingParams,
    /// Finest first.
    levels: Vec<LevelGeometry>,
}

impl BlockMatching {
    /// Plans the pyramid for a grid.
    ///
    /// # Errors
    /// [`MotionError::Parameter`] if a parameter lies outside its range.
    pub fn new(grid: &Grid, params: BlockMatchingParams, device: &Device) -> Result<Self, MotionError> {
        params.validate()?;
        let levels = levels(grid, ETA, params.max_levels);
        Ok(Self { device: device.clone(), grid: grid.clone(), params, levels })
    }

    /// From the coarsest level that the start leaves open down to the finest.
    fn coarse_to_fine(
        &self,
        images: RawImages<'_>,
        start: ResidentStart<'_>,
        observer: &dyn Observer,
    ) -> Result<Found, MotionError> {
        let Self { device, params, levels, .. } = self;
        let levels = &levels[..levels_used(start, levels.len(), 0)];
        let nodes: Vec<LevelGeometry> = levels.iter().map(|level| nodes_of(level, params.stride)).collect();
        let mut pyramids = ImagePyramids::new(device, params.preparation(), images, levels, 0)?;
        let dense = start_on_coarsest(device, levels, 0, start)?;
        let coarsest = [&levels[levels.len() - 1], &nodes[levels.len() - 1]];
        let mut displacement = on_grid(device, dense, coarsest.map(|level| level.shape))?;
        let (mut runs, mut done) = (Vec::new(), 0);
        let all: usize = levels.iter().map(|level| level.shape.len()).sum();
        for nth in (0..levels.len()).rev() {
            let (geometry, shape) = (&levels[nth], nodes[nth].shape);
            if nth + 1 < levels.len() {
                let mut finer = device.scratch_field(shape.components(), shape.len())?;
                transfer(device, &displacement, &nodes[nth + 1], &mut finer, &nodes[nth])?;
                displacement = finer;
            }
            let images = pyramids.take(geometry)?;
            let mut level = Level::new(device, params, [geometry, &nodes[nth]], &images)?;
            runs.push(level.run(&mut displacement)?);
            done += geometry.shape.len();
            observer.step(Step {
                level: levels.len() - nth,
                levels: levels.len(),
                warp: params.searches,
                warps: params.searches,
                residual: None,
                done: done as f64 / all as f64,
            });
            if nth == 0 {
                let (mut field, confidence) = level.conclude(displacement)?;
                let LevelGeometry { shape, spacing_edges, .. } = *geometry;
                ToVoxels { shape, spacing_edges, map: start.affine(), field: &mut field }.run(device)?;
                let flow = ResidentFlow { grid: self.grid.clone(), components_vox: field };
                return Ok(Found {
                    flow,
                    confidence,
                    account: Box::new(LevelsAccount { levels: runs, brightness: None }),
                });
            }
        }
        unreachable!("a pyramid should have a finest level")
    }
}

impl DenseMethod for BlockMatching {
    fn grid(&self) -> &Grid {
        &self.grid
    }
    fn device(&self) -> &Device {
        &self.device
    }
    fn interpolation(&self) -> warp::Interpolation {
        self.params.interpolation.of_kernel()
    }
    fn footprint(&self) -> Option<Footprint> {
        Some(footprint(self))
    }
}

impl PairMethod for BlockMatching {
    fn local(&mut self) -> Option<&mut dyn LocalMethod> {
        Some(self)
    }

    fn estimate(&mut self, pair: ImagePair<'_>, observer: &dyn Observer) -> Result<PendingFlow, MotionError> {
        let (device, grid) = (self.device.clone(), self.grid.clone());
        device.scope(|| {
            pair.check(&grid)?;
            let ImagePair { fixed, moving, region, start } = pair;
            let map = match common_map([fixed.frame(), moving.frame()], region.mask)? {
                Ok(_) if self.params.intensity == Intensity::Raw => IntensityMap::IDENTITY,
                Ok(map) => map,
                Err(why) => return PendingFlow::no_content(&device, &grid, why),
            };
            // Correlation is blind to gain and offset, its floor is not: each image has a map of its own.
            let moving_map = match (self.params.measure, self.params.intensity) {
                (MatchMeasure::Ncc, Intensity::Percentiles) => moving.frame().map()?.unwrap_or(map),
                _ => map,
            };
            let placement = voxel_map(&grid, moving.frame().grid());
            let maps = [map, moving_map].map(IntensityMap::centred);
            let images = RawImages { fixed, moving, region, maps, placement, start: start.affine() };
            let found = self.coarse_to_fine(images, start, observer)?;
            PendingFlow::new(&device, found, region.measured())
        })
    }
}
