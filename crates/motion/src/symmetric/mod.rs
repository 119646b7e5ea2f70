//! Symmetric registration without folds: both images travel to a middle, and each step is kept only as far as no cell of the field, or
//! of its inverse, folds.
//!
//! *Papers*: B. Avants, C. Epstein, M. Grossman, J. Gee, "Symmetric diffeomorphic image registration with cross-correlation", Med. Image
//! Anal. 12 (2008), doi:10.1016/j.media.2007.06.004: the middle; T. Vercauteren, X. Pennec, A. Perchant, N. Ayache, "Diffeomorphic
//! demons", NeuroImage 45 (2009), doi:10.1016/j.neuroimage.2008.10.040: composed steps of bounded length.
//!
//! *Scheme*: `maps.rs`. On each level, coarse to fine, the system of [`Clg`](crate::Clg) is solved on the middle, with derivatives of the
//! mean of both images: `(J_ρ + α L) u = b`. Only the increment is smooth, as a fluid's. On the full grid follow steps along the
//! normalised constraint, smoothed by a Gaussian of a voxel, which bring what the membrane is too stiff for.
//! *Folds*: after each step the determinant of every cell of both maps between the images is bounded from below by its Bernstein
//! coefficients (`kernels/variational/cell_bounds`). Where a cell falls below what it should keep, the step is shortened around the
//! place in the middle that moves it; a step that folds all the same is refused.
//! *Brightness*: both images begin with the range of their own percentiles; where the middle sees both, a gain and an offset bring them
//! together (`steps/brightness.rs`), since what moves changes percentiles without a change of brightness.
//! *Noise*: where the noise of both images counts (`steps/noise.rs`), the window of the data is wider and short steps are left
//! out, as those of [`Clg`](crate::Clg) are.
//! *Symmetry*: exchange of the images gives the inverse field, bit by bit, where both lie on one grid and there is no mask.
//! *Confidence*: as that of [`Clg`](crate::Clg).
//!
//! *Cost*, 3-D: 63 volumes of memory; a step moves some 250 volumes, a third of which are the compositions and inverses.
//! *Evidence*: `tests/motion/symmetry/registration.rs`; docs/algorithms/symmetric.md.
//! *Start*: an affine map belongs to the moving image; a field to the map from the middle to it.
//! *Limits*: motion larger than half of the coarsest level is not found; sliding organs
//! and occlusion are no diffeomorphisms.

mod level;
mod maps;
pub mod parameters;

use crate::clg::multigrid::{Multigrid, Terms};
use crate::error::Result;
use crate::method::dense::DenseMethod;
use crate::method::footprint::{Footprint, Tiling};
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_account::PendingBrightness;
use crate::method::pending_flow::{FoundFlow, PendingFlow};
use crate::method::resident::{ResidentFlow, ResidentStart};
use crate::method::start::{levels_used, start_on_coarsest};
use crate::steps::frame::pair_maps;
use crate::steps::image_pyramids::{ImagePyramids, Preparation, RawImages};
use crate::steps::level_account::{Increments, LevelDiagnostics, LevelRun, LevelsAccount};
use crate::steps::moving_image::voxel_map;
use crate::steps::pyramid::{LevelGeometry, levels};
use level::SymmetricLevel;
use maps::MiddleMaps;
use parameters::SymmetricParams;
use serde::Serialize;
use veloxel_core::parameters::Parameters;
use veloxel_core::{Counter, DiagnosticCell, Grid};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::warp::{Interpolation, VoxelAffine};
use veloxel_kernels::variational::motion_tensor::Constraint;
use veloxel_kernels::variational::total_displacement::ToVoxels;

/// The method, opened for one grid.
#[derive(Debug)]
pub struct Symmetric {
    device: Device,
    grid: Grid,
    params: SymmetricParams,
    /// The full grid first.
    levels: Vec<LevelGeometry>,
}

/// What is said of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Steps {
    /// Mean length of each step before it is shortened, voxels of the level.
    mean_increments_vox: Vec<f64>,
    /// Steps that were shortened somewhere, so that no cell folds.
    shortened: usize,
    /// Steps that were not taken.
    refused: usize,
}

impl LevelDiagnostics for Steps {
    const COLUMNS: &[&'static str] = &["steps", "last mean |δ|", "shortened", "refused"];

    fn cells(&self) -> Vec<DiagnosticCell> {
        vec![
            DiagnosticCell::Count(self.mean_increments_vox.len()),
            DiagnosticCell::Number(self.mean_increments_vox.last().copied().unwrap_or(f64::NAN)),
            DiagnosticCell::Count(self.shortened),
            DiagnosticCell::Count(self.refused),
        ]
    }
}

impl Symmetric {
    /// Plans the pyramid for a grid.
    ///
    /// # Errors
    /// [`MotionError::Parameter`](crate::MotionError::Parameter) if a parameter lies outside its range.
    pub fn new(grid: &Grid, params: SymmetricParams, device: &Device) -> Result<Self> {
        params.validate()?;
        let levels = levels(grid, params.eta, params.max_levels);
        Ok(Self { device: device.clone(), grid: grid.clone(), levels, params })
    }

    /// From the coarsest level that the start does not decide to the full grid.
    fn coarse_to_fine(&self, images: RawImages<'_>, start: ResidentStart<'_>) -> Result<FoundFlow> {
        let (device, params, map) = (&self.device, &self.params, start.affine());
        let levels = &self.levels[..levels_used(start, self.levels.len(), 0)];
        let is_on_grid = images.placement.after(&map) == VoxelAffine::IDENTITY;
        let mut pyramids = ImagePyramids::new(device, self.preparation(), images, levels, 0)?;
        let noise_shares = self.noise_shares(&mut pyramids, levels)?;
        let of_levels: Vec<_> = noise_shares.iter().map(|&share| params.under_noise(share)).collect();
        let work = |nth: usize| of_levels[nth].steps(nth) as f64 * levels[nth].shape.len() as f64;
        let all: f64 = (0..levels.len()).map(work).sum();
        let (mut done, mut runs) = (0.0, Vec::new());
        let mut maps: Option<MiddleMaps> = None;
        for (nth, geometry) in levels.iter().enumerate().rev() {
            let begin = device.stamp()?;
            let mut middle = match maps.take() {
                Some(coarser) => coarser.on_level(geometry)?,
                None => {
                    let start = start_on_coarsest(device, levels, 0, start)?;
                    MiddleMaps::new(device, geometry, params.least_determinant, start)?
                }
            };
            let params = &of_levels[nth];
            let mut level = SymmetricLevel::new(device, params, geometry, pyramids.take(geometry)?)?;
            let (mut means, steps) = (Vec::new(), params.steps(nth));
            for step in 0..steps {
                let is_short = nth == 0 && step >= params.finest_warps;
                means.push(match is_short {
                    true => level.short_step(&mut middle)?,
                    false => level.increment(&mut middle, step + 1)?,
                });
                let share = (done + work(nth) * (step + 1) as f64 / steps as f64) / all;
                let level = Counter { what: "level", now: levels.len() - nth, of: levels.len() };
                let warp = Counter { what: "warp", now: step + 1, of: steps };
                device.control().step(share, [Some(level), Some(warp)])?;
            }
            done += work(nth);
            let (shortened, refused) = middle.take_counts();
            let settled = move |mean_increments_vox| Steps { mean_increments_vox, shortened, refused };
            let own = Increments { means, settled: Box::new(settled) };
            if nth > 0 {
                runs.push(LevelRun { size: geometry.shape.size, own, span: [begin, device.stamp()?] });
                maps = Some(middle);
                continue;
            }
            middle.settle(params.corrections)?;
            let [mut forward, mut back] = middle.into_between();
            let (confidence, after) = level.conclude(&forward, noise_shares[0])?;
            runs.push(LevelRun { size: geometry.shape.size, own, span: [begin, device.stamp()?] });
            let LevelGeometry { shape, spacing_edges, .. } = *geometry;
            ToVoxels { shape, spacing_edges, map, field: &mut forward }.run(device)?;
            let brightness = Some(PendingBrightness { sums: [pyramids.before, after], gain: 1.0 });
            let account = LevelsAccount { levels: runs, brightness };
            let mut found = FoundFlow::new(&self.grid, forward, confidence, account);
            if is_on_grid {
                ToVoxels { shape, spacing_edges, map, field: &mut back }.run(device)?;
                found.inverse = Some(ResidentFlow { grid: self.grid.clone(), components_vox: back });
            }
            return Ok(found);
        }
        unreachable!("a pyramid should have a finest level")
    }

    /// How much noise counts on each level.
    fn noise_shares(&self, pyramids: &mut ImagePyramids, levels: &[LevelGeometry]) -> Result<Vec<f64>> {
        let look = pyramids.noise.take();
        let noise = look.map(|look| look.get(&self.device)).transpose()?.unwrap_or_default();
        let limit_vox = self.params.noise_mismatch;
        Ok(levels.iter().map(|level| noise.share(level.shape.len(), limit_vox)).collect())
    }

    fn preparation(&self) -> Preparation {
        let zeta = self.params.zeta;
        let noise = (self.params.noise_mismatch > 0.0).then_some(Constraint::Normalised { zeta });
        Preparation { presmooth: 0.0, lcc_sigma: 0.0, interpolation: Interpolation::Linear, noise }
    }
}

impl SymmetricParams {
    /// The parameters of a level where noise counts by a share ([`crate::steps::noise`]).
    fn under_noise(&self, share: f64) -> Self {
        let short_steps = ((1.0 - share) * self.short_steps as f64).round() as usize;
        Self { rho: self.rho + share * (self.rho_noisy - self.rho), short_steps, ..self.clone() }
    }

    /// Steps of a level.
    fn steps(&self, nth: usize) -> usize {
        if nth == 0 { self.finest_warps + self.short_steps } else { self.warps }
    }
}

impl DenseMethod for Symmetric {
    fn grid(&self) -> &Grid {
        &self.grid
    }
    fn device(&self) -> &Device {
        &self.device
    }
    fn interpolation(&self) -> Interpolation {
        self.preparation().interpolation
    }
    fn takes_brightness_as_it_is(&self) -> bool {
        true
    }
    /// Maps held and tried, each of six fields and two volumes; two half steps; a step, the system and the coarser grids; two images with
    /// their insides, as they are and as the middle sees them.
    fn footprint(&self) -> Option<Footprint> {
        let LevelGeometry { shape, spacing_edges, .. } = self.levels[0];
        let d = shape.components() as f64;
        let multigrid = Multigrid::samples_per_voxel(shape, spacing_edges, Terms::default());
        let system = shape.tensor_entries() as f64 + d;
        let samples_per_voxel = 2.0 * (6.0 * d + 2.0) + 3.0 * d + system + multigrid + 8.0;
        Some(Footprint { samples_per_voxel, tiling: Tiling::Never })
    }
}

impl PairMethod for Symmetric {
    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow> {
        let (device, grid) = (self.device.clone(), self.grid.clone());
        device.scope(|| {
            pair.check(&grid)?;
            let ImagePair { fixed, moving, region, start } = pair;
            let maps = match pair_maps([fixed.frame(), moving.frame()], region.mask)? {
                Ok(maps) => maps,
                Err(why) => return PendingFlow::no_content(&device, &grid, why),
            };
            let placement = voxel_map(&grid, moving.frame().grid());
            let images = RawImages { fixed, moving, region, maps, placement, start: start.affine() };
            let found = self.coarse_to_fine(images, start)?;
            PendingFlow::new(&device, found, region.measured())
        })
    }
}
