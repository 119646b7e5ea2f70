//! Pyramidal iterative Lucas-Kanade: two images in (`f32`, 2-D or 3-D), each on a grid of its own; a displacement of the fixed
//! grid in voxels with a confidence for every vector out, each vector from its own window alone.
//!
//! *Paper*: B. D. Lucas, T. Kanade, "An iterative image registration technique with an application to stereo vision", IJCAI
//! 1981; the pyramid of J.-Y. Bouguet, "Pyramidal implementation of the Lucas Kanade feature tracker", Intel 2000; on GPUs
//! as in "GPU-accelerated optical flow and face clustering", GPGPU 2011, section 3.3.
//!
//! *Energy* of the displacement d0 + δ of one window w:
//!
//! ```text
//! E(δ) = Σ_x w(x) m(x) [ ψ n (∇I·δ + I_t)² + γ ψ Σ_a n_a (∇I_a·δ + I_at)² ] + λ |δ|²,      (J + λ I) δ = b
//! ```
//!
//! *Notation*
//!
//! | paper | code | unit |
//! |---|---|---|
//! | v, δ | `displacement` (total), `increment` | edges: the smallest voxel edge of a level |
//! | w | `window` | voxels |
//! | AᵀA, Aᵀb | `tensor` (spatial entries, then the right-hand side) | per edge² |
//! | m | the mask's weight | 0 to 1 |
//! | λ, λ_0 | `ridge`, `half_eigenvalue` | as the tensor |
//!
//! *Where we differ from the paper*, each by a parameter whose `paper` preset is the paper's choice: derivatives are central
//! and the mean of both images' ones; every voxel of a window is warped by its own displacement, so that windows follow
//! motion that changes within them; constraints are normalised to distances (n); gradient constancy stands beside brightness
//! constancy (γ); outliers within a window count less (ψ, of the residual at δ = 0); a median between iterations.
//! *Mask*: voxels outside weigh nothing, and a window without weight has no vector (NaN). The images' outside weighs nothing
//! either; there the coarser levels' vector stays, with confidence 0.
//! *Confidence*: λ_min/(λ_min + λ_0) of the window's tensor, times what the expected error leaves
//! ([`veloxel_kernels::variational::expected_error`]: roughness of the field, and what the residual says).
//!
//! *Cost*, 3-D without γ: 18 volumes of memory; box windows are sums of sums, whose cost hardly depends on the width.
//! *Evidence*: `tests/motion/lucas_kanade.rs`; docs/algorithms/lucas_kanade.md; docs/status/accuracy.md (Middlebury).
//! *Limits*: motion larger than a few voxels of the coarsest level is lost; a window across a motion boundary takes either side
//! or their mean; a window with one edge finds what moves across it alone, and says so by its confidence.

mod diagnostics;
mod footprint;
mod level;
mod local;
pub mod parameters;

use crate::Footprint;
use crate::clg::parameters::Intensity;
use crate::frame::common_map;
use crate::image_pyramids::{ImagePyramids, LevelImages, RawImages};
use crate::intensity::IntensityMap;
use crate::level_account::{LevelRun, LevelsAccount};
use crate::local_method::LocalMethod;
use crate::method::{DenseMethod, ImagePair, PairMethod};
use crate::moving_image::voxel_map;
use crate::pending_flow::{Found, PendingBrightness, PendingFlow};
use crate::pyramid::{LevelGeometry, levels, transfer};
use crate::resident::{ResidentFlow, ResidentStart};
use crate::start::{levels_used, start_on_coarsest};
use crate::{MotionError, Observer, Step};
use diagnostics::PendingIterations;
use footprint::footprint;
use level::{Level, Memory};
use parameters::LucasKanadeParams;
use veloxel_core::Grid;
use veloxel_core::parameters::Parameters;
use veloxel_gpu::{Device, Field, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::warp;
use veloxel_kernels::variational::total_displacement::ToVoxels;

/// The method, opened for one grid; it owns the memory that it works in from its first run on.
#[derive(Debug)]
pub struct LucasKanade {
    device: Device,
    grid: Grid,
    params: LucasKanadeParams,
    /// Finest first.
    levels: Vec<LevelGeometry>,
    memory: Memory,
}

/// What was found on the finest level.
struct Estimate {
    images: LevelImages,
    /// Edges, on top of the affine start.
    displacement: Field,
    /// Σ |I_t| and number of voxels before the first warp.
    before: Later<(f64, f64)>,
    /// Coarsest first.
    runs: Vec<LevelRun<PendingIterations>>,
}

impl LucasKanade {
    /// Plans the pyramid for a grid.
    ///
    /// # Errors
    /// [`MotionError::Parameter`] if a parameter lies outside its range.
    pub fn new(grid: &Grid, params: LucasKanadeParams, device: &Device) -> Result<Self, MotionError> {
        params.validate()?;
        let levels = levels(grid, params.eta, params.max_levels);
        Ok(Self { device: device.clone(), grid: grid.clone(), params, levels, memory: Memory::default() })
    }

    /// From the coarsest level that the start leaves open down to the finest.
    fn coarse_to_fine(
        &mut self,
        images: RawImages<'_>,
        start: ResidentStart<'_>,
        observer: &dyn Observer,
    ) -> Result<Estimate, MotionError> {
        let Self { device, params, levels, memory, .. } = self;
        let used = levels_used(start, levels.len(), 0);
        let levels = &levels[..used];
        let mut pyramids = ImagePyramids::new(device, params.preparation(), images, levels, 0)?;
        let mut displacement = start_on_coarsest(device, levels, 0, start)?;
        let (mut runs, mut done) = (Vec::new(), 0.0);
        let work = |nth: usize| (levels[nth].shape.len() * params.iterations_of(nth)) as f64;
        let all: f64 = (0..used).map(work).sum();
        for nth in (0..used).rev() {
            let geometry = &levels[nth];
            if nth + 1 < used {
                let finer = memory.increment(device, geometry)?;
                transfer(device, &displacement, &levels[nth + 1], finer, geometry)?;
                std::mem::swap(&mut displacement, finer);
            }
            let images = pyramids.take(geometry)?;
            let mut level = Level::new(device, params, geometry, memory)?;
            let run = level.run(&images, &mut displacement, params.iterations_of(nth))?;
            done += work(nth);
            observer.step(Step {
                level: used - nth,
                levels: used,
                warp: run.own.increments.len(),
                warps: params.iterations_of(nth),
                residual: None,
                done: done / all,
            });
            runs.push(run);
            if nth == 0 {
                return Ok(Estimate { images, displacement, before: pyramids.before, runs });
            }
        }
        unreachable!("a pyramid should have a finest level")
    }

    /// The flow in voxels, its confidence, and the account of the run.
    fn conclude(&mut self, estimate: Estimate, start: ResidentStart<'_>) -> Result<Found, MotionError> {
        let Estimate { images, mut displacement, before, runs } = estimate;
        let Self { device, params, levels, memory, .. } = self;
        let mut level = Level::new(device, params, &levels[0], memory)?;
        let after = level.compare(&images, &displacement)?;
        let confidence = level.confidence(&images, &mut displacement)?;
        let LevelGeometry { shape, spacing_edges, .. } = levels[0];
        ToVoxels { shape, spacing_edges, map: start.affine(), field: &mut displacement }.run(device)?;
        let brightness = PendingBrightness { sums: [before, after], gain: 1.0 };
        Ok(Found {
            flow: ResidentFlow { grid: self.grid.clone(), components_vox: displacement },
            confidence,
            account: Box::new(LevelsAccount { levels: runs, brightness: Some(brightness) }),
        })
    }
}

impl DenseMethod for LucasKanade {
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

impl PairMethod for LucasKanade {
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
            let placement = voxel_map(&grid, moving.frame().grid());
            let images =
                RawImages { fixed, moving, region, maps: [map; 2], placement, start: start.affine() };
            let estimate = self.coarse_to_fine(images, start, observer)?;
            let found = self.conclude(estimate, start)?;
            if device.is_gpu() {
                // Buffers have changed their places. From the device's pool the next run gets them in the order of this one, so
                // that its recordings need no new arguments.
                self.memory = Memory::default();
            }
            PendingFlow::new(&device, found, region.measured())
        })
    }
}
