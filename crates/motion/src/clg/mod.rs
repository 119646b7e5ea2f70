//! Combined local-global flow: two images in (`f32`, 2-D or 3-D), each on a grid of its own; a displacement of the fixed grid
//! in voxels with a confidence for every vector out, with volume preservation where it is asked for.
//!
//! *Paper*: J. Thiyagalingam, D. Goodman, J. A. Schnabel, A. Trefethen, V. Grau, "On the usage of GPUs for efficient motion
//! estimation in medical image sequences", Int. J. Biomedical Imaging 2011, doi:10.1155/2011/137604, sections 3-4, eq. 1-10;
//! after A. Bruhn, J. Weickert, C. Schnörr, "Lucas/Kanade meets Horn/Schunck", IJCV 61 (2005) and S. M. Song, R. M. Leahy,
//! "Computation of 3-D velocity fields from 3-D cine CT images", IEEE TMI 10 (1991).
//!
//! *Energy*, for an increment δ around the displacement d0 found so far:
//!
//! ```text
//! E(δ) = Σ_x (δ,1)ᵀ J_ρ (δ,1)  +  α |∇(d0 + δ)|²  +  β (div(d0 + δ))²,      J_ρ = K_ρ * (n g gᵀ),  g = (I_x, I_y, I_z, I_t)
//! ```
//!
//! *Notation*
//!
//! | paper | code | unit |
//! |---|---|---|
//! | w = (u, v, w) | `displacement` (total), `increment` | edges: the smallest voxel edge of a level |
//! | ρ, K_ρ | `rho`, `taps` | voxels |
//! | α, β | `alpha`, `beta` | per edge² |
//! | J_ij | `system` (spatial entries, then minus the mixed ones) | per edge² |
//! | R | `warps`, `finest_warps`, `matched_warps` | |
//! | k | `iterations` | |
//!
//! *Where we differ from the paper*, each by a parameter whose `paper` preset is the paper's choice: the regulariser acts on
//! the total displacement; derivatives are central and taken on both images; a pyramid; constraints are normalised to
//! distances; the divergence is squared (printed linear in eq. 10, where it would vanish from the Euler-Lagrange equations);
//! forward differences are put where they belong, half a voxel away (`paper-literal` takes them for derivatives at the voxel);
//! volume change may be measured by the Jacobian of the composed motion; increments are composed, so that the field does
//! not fold; robust penalisers, gradient constancy, local normalisation and medians; adaptive stopping (future work iii);
//! weights that follow the mismatch of the images, the mean displacement free where they match, and a second stage for
//! pictures that do (`weights.rs`, `refinement.rs`).
//!
//! *Cost*, quadratic 3-D: 22 volumes of memory, 25 with a free mean; nothing is allocated inside a warp, and a second run
//! takes memory for its result alone; a warp moves 8 (warp) + 50 (tensor) + 70 (V-cycle)
//! volumes, and 2 (mismatch) + 27 (mean and its product) where weights follow the mismatch.
//!
//! *Evidence*: `tests/motion/convergence.rs` (error over warps), `tests/motion/phantoms.rs` (smooth motion ≤ 0.02 voxel, shells in volumes ≤ 0.025), `tests/motion/symmetry/mod.rs`
//! (equal images, flips, axis swaps, spacing, threads), `tests/motion/solvers.rs`; docs/status/accuracy.md (Middlebury, NIREP, mouse LV).
//!
//! *Limits*: motion larger than half the image, or than 16 voxels of the coarsest level, is not found; where the moving image
//! ends there are no data and the neighbours decide (confidence falls); images without contrast give the zero field with
//! confidence 0 and a warning; forward differences taken for derivatives at voxels (`paper-literal`) let errors on fine texture
//! grow with every warp, of which every such run warns.

mod cells;
mod coarse;
mod coarse_pair;
mod comparing;
mod diagnostics;
mod level;
mod long_axis;
pub mod multigrid;
mod noise;
pub mod parameters;
mod refinement;
mod tolerance;
mod unusual_grids;
mod weights;
mod workspace;

use crate::clg::coarse_pair::region_of_motion;
use crate::clg::long_axis::{Descent, as_stack, base_descent};
use crate::error::Result;
use crate::method::dense::DenseMethod;
use crate::method::footprint::Footprint;
use crate::method::pair::{ImagePair, Pair, PairMethod};
use crate::method::pending_account::PendingBrightness;
use crate::method::pending_flow::{DenseFlow, FoundFlow, PendingFlow};
use crate::method::resident::ResidentStart;
use crate::method::shared_scalars::SharedScalars;
use crate::method::start::{levels_used, start_on_coarsest};
use crate::steps::choices::IntensityMapping;
use crate::steps::frame::{Frame, pair_maps};
use crate::steps::image_pyramids::{ImagePyramids, LevelImages, RawImages};
use crate::steps::intensity::IntensityMap;
use crate::steps::level_account::{LevelRun, LevelsAccount};
use crate::steps::level_steps::NOISE_BEND;
use crate::steps::level_steps::unfolding::Cells;
use crate::steps::moving_image::voxel_map;
use crate::steps::noise::NoiseFound;
use crate::steps::pyramid::{LevelGeometry, levels, transfer, transfer_by};
use diagnostics::PendingWarps;
use level::{ClgLevel, Progress, WarpLimits};
use parameters::{ClgParams, DerivativeScheme};
use std::slice::{from_mut, from_ref};
use veloxel_core::parameters::Parameters;
use veloxel_core::{Grid, Volume, WarningKind};
use veloxel_gpu::{Buffer, Device, Field, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::resample::Resample;
use veloxel_kernels::image::warp;
use veloxel_kernels::variational::total_displacement::ToVoxels;
use workspace::{Workspace, footprint};

/// The method, opened for one grid; it owns the memory that it works in from its first run on.
#[derive(Debug)]
pub struct Clg {
    first: Stage,
    /// For images that match after the first.
    second: Option<Stage>,
    /// Lent to the stage at work.
    shared: SharedScalars,
}

/// An energy, the levels that it is minimised on, and the memory for that.
#[derive(Debug)]
struct Stage {
    device: Device,
    grid: Grid,
    params: ClgParams,
    /// The full grid first.
    levels: Vec<LevelGeometry>,
    /// The level that the estimate ends on.
    finest: usize,
    memory: Workspace,
    shared: SharedScalars,
    /// ClgLevel of its finest level in the keys of `shared`.
    first_level: usize,
    /// What the noise of the images at work leaves.
    noise: NoiseFound,
    /// The parameters of the level at work.
    at_level: ClgParams,
}

/// ClgLevel of the second stage's finest level in the keys of shared scalars: above those of the first stage.
const SECOND_STAGE: usize = 1000;
/// What stands for a level in the key of the noise: above all levels of its stage.
const NOISE: usize = 500;

/// What is said of every run with forward differences at voxels.
const FORWARD_DIVERGES: &str = "derivatives = forward takes the difference to the next voxel for the derivative at the voxel, half a \
     voxel beside it: on fine texture the error grows with every warp; derivatives = two-sided (preset paper) does not";

/// The result on the finest level.
struct Estimate {
    images: LevelImages,
    /// Edges, on top of the affine start.
    displacement: Field,
    /// Σ |I_t| and number of voxels before the first warp.
    before: Later<(f64, f64)>,
    /// Coarsest first.
    runs: Vec<LevelRun<PendingWarps>>,
}

impl Clg {
    /// Plans the pyramid for a grid.
    ///
    /// # Errors
    /// [`MotionError::Parameter`](crate::MotionError::Parameter) if a parameter lies outside its range.
    pub fn new(grid: &Grid, params: ClgParams, device: &Device) -> Result<Self> {
        params.validate()?;
        let stage = |params: ClgParams, first_level: usize| {
            let most = params.finest_level.saturating_add(params.max_levels);
            let levels = levels(&as_stack(grid, params.slice_distance), params.eta, most);
            let finest = params.finest_level.min(levels.len() - 1);
            let (device, grid, memory) = (device.clone(), grid.clone(), Workspace::default());
            let shared = SharedScalars::default();
            let at_level = params.clone();
            Stage {
                device,
                grid,
                levels,
                finest,
                params,
                memory,
                shared,
                first_level,
                noise: NoiseFound::default(),
                at_level,
            }
        };
        let second = params.refinement().map(|params| stage(params, SECOND_STAGE));
        Ok(Self { second, first: stage(params, 0), shared: SharedScalars::default() })
    }

    /// The parameters in force.
    pub fn params(&self) -> &ClgParams {
        &self.first.params
    }

    /// The start that was given, or else the descent of the heart's base.
    fn start_or_descent<'a>(
        &self,
        images: [&Frame; 2],
        map: IntensityMap,
        start: ResidentStart<'a>,
    ) -> Result<(ResidentStart<'a>, Option<Descent>)> {
        let ClgParams { long_axis: rate, beta, .. } = self.first.params;
        let may_descend = rate > 0.0 && beta == 0.0 && matches!(start, ResidentStart::Zero);
        Ok(match if may_descend { base_descent(images, map, rate)? } else { None } {
            Some(descent) => (ResidentStart::Affine(descent.map), Some(descent)),
            None => (start, None),
        })
    }
}

impl DenseMethod for Clg {
    fn grid(&self) -> &Grid {
        &self.first.grid
    }
    fn device(&self) -> &Device {
        &self.first.device
    }
    fn interpolation(&self) -> warp::Interpolation {
        self.first.params.interpolation.of_kernel()
    }
    fn takes_brightness_as_it_is(&self) -> bool {
        self.first.params.intensity == IntensityMapping::Raw
    }
    fn footprint(&self) -> Option<Footprint> {
        Some(footprint(&self.first, self.second.as_ref()))
    }
}

impl PairMethod for Clg {
    fn shared_scalars(&mut self) -> Option<&mut SharedScalars> {
        let params = &self.first.params;
        let measured = [params.alpha_mismatch, params.least_gain, params.noise_mismatch];
        let follows = measured.iter().any(|of| *of > 0.0) || self.second.is_some();
        if follows { Some(&mut self.shared) } else { None }
    }

    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow> {
        let (device, grid) = (self.device().clone(), self.grid().clone());
        device.scope(|| {
            if self.second.is_none() && self.first.begins_coarse(&pair) {
                return self.estimate_coarse(&pair);
            }
            pair.check(&grid)?;
            let ImagePair { fixed, moving, region, start } = pair;
            let images = [fixed.frame(), moving.frame()];
            let differing = match (self.first.params.intensity, region.mask) {
                (IntensityMapping::Moving, None) => region_of_motion(images)?,
                _ => None,
            };
            let map = match pair_maps(images, region.mask.or(differing.as_ref()))? {
                Ok(_) if self.first.params.intensity == IntensityMapping::Raw => IntensityMap::IDENTITY,
                Ok([map, _]) => map,
                Err(why) => return PendingFlow::no_content(&device, &grid, why),
            };
            let (start, descent) = self.start_or_descent(images, map, start)?;
            let placement = voxel_map(&grid, moving.frame().grid());
            let images =
                RawImages { fixed, moving, region, maps: [map; 2], placement, start: start.affine() };
            self.first.shared = std::mem::take(&mut self.shared);
            let found = match &mut self.second {
                None => {
                    let estimate = self.first.coarse_to_fine(images, start)?;
                    self.first.conclude(estimate, start)?
                }
                Some(second) => {
                    let mut estimate = self.first.coarse_to_fine(images.borrowed(), start)?;
                    let limit = self.first.params.refine_mismatch;
                    second.shared = std::mem::take(&mut self.first.shared);
                    second.noise = self.first.noise;
                    let goes_on = second.refine(&mut estimate, images, limit)?;
                    let last = if goes_on { &mut *second } else { &mut self.first };
                    let found = last.conclude(estimate, start)?;
                    self.first.shared = std::mem::take(&mut second.shared);
                    found
                }
            };
            self.shared = std::mem::take(&mut self.first.shared);
            let mut pending = PendingFlow::new(&device, found, region.measured())?;
            if self.first.params.derivatives == DerivativeScheme::Forward {
                pending.warnings.push(WarningKind::Convergence, FORWARD_DIVERGES);
            }
            if let Some(descent) = descent {
                pending.warnings.push(WarningKind::Note, descent.sentence());
            }
            Ok(pending)
        })
    }
}

impl Stage {
    /// Estimates from the coarsest level that the start does not decide down to the finest.
    fn coarse_to_fine(&mut self, images: RawImages<'_>, start: ResidentStart<'_>) -> Result<Estimate> {
        let used = levels_used(start, self.levels.len(), self.finest);
        let (levels, preparation) = (&self.levels[..used], self.params.preparation());
        let pyramids = ImagePyramids::new(&self.device, preparation, images, levels, self.finest)?;
        self.estimate_on(pyramids, start)
    }

    /// [`Self::coarse_to_fine`] with pyramids that are made already.
    fn estimate_on(&mut self, mut pyramids: ImagePyramids, start: ResidentStart<'_>) -> Result<Estimate> {
        let used = levels_used(start, self.levels.len(), self.finest);
        self.take_noise(&mut pyramids)?;
        let mut displacement = start_on_coarsest(&self.device, &self.levels[..used], self.finest, start)?;
        let mut progress = Progress::new(used - self.finest);
        progress.all = (self.finest..used).map(|nth| self.work(nth)).sum();
        let mut runs = Vec::new();
        for nth in (self.finest..used).rev() {
            progress.begin(self.work(nth));
            if nth + 1 < used {
                let (finer, pair) = (&mut self.memory.increment, [&self.levels[nth + 1], &self.levels[nth]]);
                transfer_by(&self.device, [&mut displacement, finer], pair)?;
            }
            let images = pyramids.take(&self.levels[nth])?;
            let limits = self.warp_limits(nth);
            runs.push(self.level(nth, &images)?.run(&images, &mut displacement, limits, &progress)?);
            if nth == self.finest {
                return Ok(Estimate { images, displacement, before: pyramids.before, runs });
            }
        }
        unreachable!("a pyramid should have a finest level")
    }

    /// A level with the memory lent to it, which is made for the finest one at the first run.
    fn level(&mut self, nth: usize, images: &LevelImages) -> Result<ClgLevel<'_>> {
        self.at_level = self.level_parameters(nth);
        let Self { device, at_level: params, levels, finest, memory, shared, first_level, .. } = self;
        if memory.warped.is_empty() {
            memory.fit(device, params, &levels[*finest])?;
        }
        Ok(ClgLevel::new(device, params, &levels[nth], memory, images)?.deciding(*first_level + nth, shared))
    }

    /// Interpolates displacement and confidence of the finest level used to the full grid.
    fn interpolate(&self, displacement: &mut Field, confidence: &mut Buffer) -> Result<()> {
        let (device, from, to) = (&self.device, &self.levels[self.finest], &self.levels[0]);
        if self.finest == 0 {
            return Ok(());
        }
        // SAFETY: the interpolations below write all of it, and what they leave when they fail is dropped unread.
        let full = |components| unsafe { device.scratch_to_download(components, to.shape.len()) };
        let mut finer = full(to.shape.components())?;
        transfer(device, displacement, from, &mut finer, to)?;
        *displacement = finer;
        let target = self.params.least_determinant;
        if target > 0.0 {
            let (mut other, mut bounds) = (full(to.shape.components())?, full(1)?);
            let cells = Cells { device, geometry: to, target };
            let folds = cells.bound_start(displacement, &mut bounds[0])?.get(device)?;
            cells.smooth(displacement, &mut other, &mut bounds[0], folds)?;
        }
        let mut finer = full(1)?.remove(0);
        let (input, output) = (from_ref(confidence), from_mut(&mut finer));
        Resample { input, input_shape: from.shape, output, output_shape: to.shape, factor: 1.0 }
            .run(device)?;
        *confidence = finer;
        Ok(())
    }

    /// How many warps a level may have.
    fn warp_limits(&self, nth: usize) -> WarpLimits {
        let ClgParams { warps, finest_warps, matched_warps, .. } = self.params;
        let [open, matched] = if nth == self.finest { [finest_warps, matched_warps] } else { [warps; 2] };
        WarpLimits { open, matched }
    }

    /// Voxel-warps of a level.
    fn work(&self, nth: usize) -> f64 {
        self.levels[nth].shape.len() as f64 * self.warp_limits(nth).open as f64
    }

    /// The flow in voxels, its confidence, and the diagnostics of the run.
    fn conclude(&mut self, estimate: Estimate, start: ResidentStart<'_>) -> Result<FoundFlow> {
        let Estimate { images, mut displacement, before, runs } = estimate;
        let bend = NOISE_BEND * self.noise_share(self.finest) as f32;
        let mut level = self.level(self.finest, &images)?;
        level.warp(&images, &displacement)?;
        let after = level.difference(&images)?;
        let mut confidence = level.confidence(images, &displacement, bend)?;
        self.interpolate(&mut displacement, &mut confidence)?;
        let LevelGeometry { shape, spacing_edges, .. } = self.levels[0];
        ToVoxels { shape, spacing_edges, map: start.affine(), field: &mut displacement }.run(&self.device)?;
        let brightness = Some(PendingBrightness { sums: [before, after], gain: 1.0 });
        let account = LevelsAccount { levels: runs, brightness };
        Ok(FoundFlow::new(&self.grid, displacement, confidence, account))
    }
}

/// One-shot form: two images and parameters in, flow, confidence and diagnostics out, on the fastest device.
///
/// # Errors
/// As [`PairMethod::run`].
pub fn clg(fixed: &Volume<f32>, moving: &Volume<f32>, params: &ClgParams) -> Result<DenseFlow> {
    let device = Device::auto()?;
    Clg::new(fixed.grid(), params.clone(), &device)?.run(&Pair::new(fixed, moving))
}
