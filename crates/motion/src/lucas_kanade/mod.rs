//! Pyramidal iterative Lucas-Kanade: two images in (`f32`, 2-D or 3-D), each on a grid of its own; a displacement of the fixed
//! grid in voxels with a confidence for every vector out, each vector from its own window alone.
//!
//! *Paper*: B. D. Lucas, T. Kanade, "An iterative image registration technique with an application to stereo vision", IJCAI
//! 1981; the pyramid of J.-Y. Bouguet, "Pyramidal implementation of the Lucas Kanade feature tracker", Intel 2000; on GPUs
//! as in "GPU-accelerated optical flow and face clustering", GPGPU 2011, section 3.3.
//!
//! *Energy* of the displacement d0 + δ of one window w, d0 each voxel's own or, with [`SharedInWindow`](parameters::SharedInWindow)
//! displacement, δ that of the window less each voxel's own:
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
//! | m | the mask, times the weight image | 0 to 1 |
//! | λ, λ_0 | `ridge`, `half_eigenvalue` | as the tensor |
//!
//! *Where we differ from the paper*, each by a parameter whose `paper` preset is the paper's choice: derivatives are central
//! and the mean of both images' ones; every voxel of a window is warped by its own displacement, so that windows follow
//! motion that changes within them; constraints are normalised to distances (n); gradient constancy stands beside brightness
//! constancy (γ); outliers within a window count less (ψ, of the residual at δ = 0); a median between iterations.
//! *Mask*: voxels outside weigh nothing, and a window without weight has no vector (NaN); a weight image (alpha) weighs each
//! voxel's share of its windows. The images' outside weighs nothing either; there the coarser levels' vector stays, with confidence 0.
//! *Confidence*: λ_min/(λ_min + λ_0) of the window's tensor, times what the expected error leaves
//! ([`veloxel_kernels::variational::expected_error`]: roughness of the field, and what the residual says).
//!
//! *Cost*, 3-D without γ: 18 volumes of memory; box windows are sums of sums, whose cost hardly depends on the width.
//! *Evidence*: `tests/motion/lucas_kanade.rs`, `tests/motion/convergence.rs`; docs/algorithms/lucas_kanade.md; docs/status/accuracy.md (Middlebury).
//! *Limits*: motion larger than a few voxels of the coarsest level is lost; a window across a motion boundary takes either side
//! or their mean; a window with one edge finds what moves across it alone, and says so by its confidence.

mod level;
pub mod parameters;

use crate::method::footprint::{Footprint, Tiling};
use crate::method::start::coarsening;
use crate::steps::choices::{IncrementUpdate, IntensityMapping, MedianFilter};
use crate::steps::image_pyramids::{Preparation, preparation_vox};
use crate::steps::intensity::IntensityMap;
use crate::steps::level_by_level::{LevelByLevel, LevelFound, LevelSolver, LevelTask};
use crate::steps::level_steps::{TRUNCATE, reach_vox};
use crate::steps::pyramid::{LevelGeometry, levels, transfer_by};
use level::{Iterations, LucasKanadeLevel, Memory};
use parameters::{LucasKanadeParams, WindowShape};
use veloxel_core::{Grid, Shape};
use veloxel_gpu::{ComputeError, Device, Field};
use veloxel_kernels::Taps;

/// Voxels that tiles overlap by beyond their seams. Windows and medians of all iterations and levels together reach
/// further, but what they carry so far is next to nothing.
const GUARD_VOX: [usize; 2] = [56, 24];
/// A central difference of fourth order.
const GRADIENT_VOX: usize = 2;
/// The plain median, the weighted one, and the bend and the divergence that decide on it.
const NON_LOCAL_VOX: usize = 2 + 6 + 3;

/// The method, opened for one grid; it owns the memory that it works in from its first run on.
pub type LucasKanade = LevelByLevel<LucasKanadeParams>;

impl LevelSolver for LucasKanadeParams {
    type Memory = Memory;
    type Diagnostics = Iterations;

    const WEIGHS: bool = true;

    fn levels(&self, grid: &Grid) -> Vec<LevelGeometry> {
        levels(grid, self.eta, self.max_levels)
    }
    fn preparation(&self) -> Preparation {
        let interpolation = self.interpolation.of_kernel();
        Preparation { presmooth: self.presmooth, lcc_sigma: self.lcc_sigma, interpolation, noise: None }
    }
    fn intensity(&self) -> IntensityMapping {
        self.intensity
    }
    fn maps(&self, [fixed, _]: [IntensityMap; 2]) -> [IntensityMap; 2] {
        [if self.intensity == IntensityMapping::Raw { IntensityMap::IDENTITY } else { fixed }; 2]
    }
    fn iterations_of(&self, nth: usize) -> usize {
        if nth == 0 { self.finest_iterations } else { self.iterations }
    }
    fn drift_edges(&self, nth: usize, _: &LevelGeometry) -> f32 {
        self.iterations_of(nth) as f32 * self.increment_limit
    }
    /// Beside its workspace a run holds images, displacement, confidence and determinant, and coarser levels of them.
    fn footprint(&self, shape: Shape) -> Footprint {
        let workspace: usize = Memory::default().parts(self, shape).iter().map(|(_, count)| count).sum();
        let held = 4.7 + 0.55 * shape.components() as f64;
        Footprint { samples_per_voxel: held + workspace as f64, tiling: self.tiling(shape) }
    }

    fn transfer(
        device: &Device,
        memory: &mut Memory,
        displacement: &mut Field,
        pair: [&LevelGeometry; 2],
    ) -> Result<(), ComputeError> {
        transfer_by(device, [displacement, &mut memory.increment], pair)
    }

    fn run_level(
        &self,
        task: LevelTask<'_>,
        memory: &mut Memory,
        displacement: &mut Field,
    ) -> Result<LevelFound<Iterations>, ComputeError> {
        let mut level = LucasKanadeLevel::new(self, task, memory)?;
        let run = level.run(displacement, self.iterations_of(task.nth))?;
        let certainty = (task.nth == 0).then(|| level.conclude(displacement)).transpose()?;
        Ok(LevelFound { run, certainty })
    }
}

impl LucasKanadeParams {
    /// Whether every vector depends on its surroundings alone, and on how much of them.
    fn tiling(&self, shape: Shape) -> Tiling {
        let (guard_vox, coarsening) = (GUARD_VOX[shape.components() - 2], coarsening(self.eta, 0));
        // A mean over all voxels, and positions that are composed, are not of a vector's surroundings.
        if self.tolerance > 0.0 || self.lcc_sigma > 0.0 || self.update != IncrementUpdate::Add {
            return Tiling::Overlap { guard_vox, coarsening };
        }
        let window_vox = match self.window {
            WindowShape::Box { radius } => radius,
            WindowShape::Gaussian { sigma } => Taps::gaussian(sigma, TRUNCATE).radius() + 1,
        };
        let gradients_vox = if self.gamma > 0.0 { 2 * GRADIENT_VOX } else { GRADIENT_VOX };
        let median_vox = match self.median {
            MedianFilter::Off => 0,
            MedianFilter::Plain { radius } => radius,
            MedianFilter::NonLocal if shape.components() == 2 => NON_LOCAL_VOX,
            MedianFilter::NonLocal => 1,
        };
        let iteration_vox = gradients_vox + window_vox + median_vox;
        let images_vox = preparation_vox(self.preparation());
        let of_level = |nth: usize| self.iterations_of(nth) * iteration_vox + images_vox;
        let confidence_vox = GRADIENT_VOX + window_vox + reach_vox(shape.components());
        let halo_vox = [of_level(0) + confidence_vox, of_level(1)];
        Tiling::Local { halo_vox, eta: self.eta, max_levels: self.max_levels, guard_vox, coarsening }
    }
}
