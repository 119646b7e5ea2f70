//! Combined local-global flow: two images of one grid in (`f32`, 2-D or 3-D), a displacement in voxels with a confidence
//! for every vector out, with volume preservation where it is asked for.
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
//! volume change may be measured by the Jacobian of the composed motion; increments are composed, so that the field does
//! not fold; robust penalisers, gradient constancy, local normalisation and medians; adaptive stopping (future work iii);
//! weights that follow the mismatch of the images, the mean displacement free where they match, and a second stage for
//! pictures that do (`weights.rs`, `refinement.rs`).
//!
//! *Cost*, quadratic 3-D: 22 volumes of memory, 25 with a free mean; a warp moves 8 (warp) + 50 (tensor) + 70 (V-cycle)
//! volumes, and 2 (mismatch) + 27 (mean and its product) where weights follow the mismatch.
//!
//! *Evidence*: `tests/phantoms.rs` (smooth motion ≤ 0.02 voxel, shells in volumes ≤ 0.025), `tests/symmetry.rs`
//! (equal images, flips, axis swaps, spacing, threads), `tests/solvers.rs`; docs/status/accuracy.md (Middlebury, NIREP, mouse LV).
//!
//! *Limits*: motion larger than half the image, or than 16 voxels of the coarsest level, is not found; where the moving image
//! ends there are no data and the neighbours decide (confidence falls); images without contrast give the zero field with
//! confidence 0 and a warning.

mod constraints;
mod diagnostics;
mod images;
mod level;
pub mod parameters;
mod refinement;
mod weights;

use crate::affine_registration::to_level;
use crate::frame::Frame;
use crate::intensity::IntensityMap;
use crate::method::{DenseMethod, ImagePair, Pair, PairMethod};
use crate::pending_flow::{DenseFlow, Found, PendingBrightness, PendingFlow};
use crate::pyramid::{LevelGeometry, levels, shrink, transfer};
use crate::resident::{ResidentFlow, ResidentMask, ResidentStart};
use crate::{MotionError, Observer, Silent};
use diagnostics::{ClgAccount, LevelRun};
use images::{ImagePyramids, LevelImages, RawImages};
use level::{Level, Progress, WarpLimits};
use parameters::{ClgParams, Intensity};
use veloxel_core::parameters::Parameters;
use veloxel_core::{Grid, Volume};
use veloxel_gpu::{Device, Field, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, map_affine, scale};
use veloxel_kernels::image::warp;
use veloxel_kernels::variational::confidence::Scales;
use veloxel_kernels::variational::total_displacement::{from_voxels, to_voxels};

/// The method, opened for one grid.
#[derive(Debug)]
pub struct Clg {
    device: Device,
    params: ClgParams,
    /// Of the second stage.
    refinement: Option<ClgParams>,
    grid: Grid,
    /// Finest first.
    levels: Vec<LevelGeometry>,
}

/// What was found on the finest level.
struct Estimate<'a> {
    level: Level<'a>,
    images: LevelImages,
    /// Edges, on top of the affine start.
    displacement: Field,
    /// Σ |I_t| and number of voxels before the first warp.
    before: Later<(f64, f64)>,
    /// Coarsest first.
    runs: Vec<LevelRun>,
}

/// A start field is refined from this many levels on: what is coarser it has settled already.
const LEVELS_AFTER_START: usize = 3;
/// Below this, J's eigenvalues are interpolation: the smoothness weight of a voxel's springs.
const DETERMINACY_PER_ALPHA: f32 = 0.1;
/// Mismatch at which the fit counts half, edges (normalised) or mapped intensities.
const HALF_CONFIDENCE_MISMATCH: f32 = 0.5;

impl Clg {
    /// Plans the pyramid for a grid.
    ///
    /// # Errors
    /// [`MotionError::Parameter`] if a parameter lies outside its range.
    pub fn new(grid: &Grid, params: ClgParams, device: &Device) -> Result<Self, MotionError> {
        params.validate()?;
        let levels = levels(grid, params.eta, params.max_levels);
        let refinement = params.refinement();
        Ok(Self { device: device.clone(), params, refinement, grid: grid.clone(), levels })
    }

    /// The parameters in force.
    pub fn params(&self) -> &ClgParams {
        &self.params
    }
}

impl DenseMethod for Clg {
    fn grid(&self) -> &Grid {
        &self.grid
    }
    fn device(&self) -> &Device {
        &self.device
    }
    fn interpolation(&self) -> warp::Interpolation {
        self.params.interpolation.of_kernel()
    }
}

impl PairMethod for Clg {
    fn estimate(&mut self, pair: ImagePair<'_>, observer: &dyn Observer) -> Result<PendingFlow, MotionError> {
        let device = self.device.clone();
        device.scope(|| {
            pair.check(&self.grid)?;
            let ImagePair { fixed, moving, region, start } = pair;
            let map = match self.intensity_map([fixed.frame(), moving.frame()], region.mask)? {
                Ok(map) => map,
                Err(why) => return PendingFlow::no_content(&self.device, &self.grid, why),
            };
            let images = RawImages { fixed, moving, region, map };
            let estimate = match &self.refinement {
                None => self.coarse_to_fine(images, start, observer)?,
                Some(params) => {
                    let robust = self.coarse_to_fine(images.borrowed(), start, observer)?;
                    self.refine(robust, params, images, observer)?
                }
            };
            PendingFlow::new(&self.device, self.conclude(estimate, start)?, region.measured())
        })
    }
}

impl Clg {
    /// The map of intensities to 0..1; for an image without contrast, which of them it is.
    fn intensity_map(
        &self,
        [fixed, moving]: [&Frame; 2],
        mask: Option<&ResidentMask>,
    ) -> Result<Result<IntensityMap, String>, MotionError> {
        let which = match (fixed.map_within(mask)?, moving.map()?) {
            (Some(map), Some(_)) => {
                return Ok(Ok(match self.params.intensity {
                    Intensity::Raw => IntensityMap::IDENTITY,
                    Intensity::Percentiles => map,
                }));
            }
            (Some(_), None) => "moving",
            (None, _) => "fixed",
        };
        Ok(Err(format!(
            "the {which} image is constant: no motion can be seen; the field is zero with confidence 0"
        )))
    }

    /// From the coarsest level that the start leaves open down to the finest.
    fn coarse_to_fine(
        &self,
        images: RawImages<'_>,
        start: ResidentStart<'_>,
        observer: &dyn Observer,
    ) -> Result<Estimate<'_>, MotionError> {
        let (device, params) = (&self.device, &self.params);
        let used = match start {
            ResidentStart::Flow(_) => &self.levels[..self.levels.len().min(LEVELS_AFTER_START)],
            _ => &self.levels[..],
        };
        let mut pyramids = ImagePyramids::new(device, params, images, used)?;
        let mut displacement = self.start_on_coarsest(start, used)?;
        let mut progress = Progress::new(observer, used.len());
        progress.all = (0..used.len()).map(|nth| self.work(nth)).sum();
        let mut runs = Vec::new();
        for (nth, geometry) in used.iter().enumerate().rev() {
            if let Some(coarser) = used.get(nth + 1) {
                displacement = transfer(device, (&displacement, coarser), geometry)?;
            }
            progress.begin(self.work(nth));
            let images = pyramids.take(geometry.shape, to_level(&start.affine(), geometry))?;
            let mut level = Level::new(device, params, geometry, &images)?;
            runs.push(level.run(&images, &mut displacement, self.warp_limits(nth), &progress)?);
            if nth == 0 {
                return Ok(Estimate { level, images, displacement, before: pyramids.before, runs });
            }
        }
        unreachable!("a pyramid should have a finest level")
    }

    /// How many warps a level may have.
    fn warp_limits(&self, nth: usize) -> WarpLimits {
        match nth {
            0 => self.params.finest_limits(),
            _ => WarpLimits { open: self.params.warps, matched: self.params.warps },
        }
    }

    /// Voxel-warps of a level.
    fn work(&self, nth: usize) -> f64 {
        self.levels[nth].shape.len() as f64 * self.warp_limits(nth).open as f64
    }

    /// The displacement that the coarsest level used begins with, in its edges.
    fn start_on_coarsest(
        &self,
        start: ResidentStart<'_>,
        used: &[LevelGeometry],
    ) -> Result<Field, MotionError> {
        let (device, finest) = (&self.device, &used[0]);
        let ResidentStart::Flow(start) = start else {
            let coarsest = used[used.len() - 1].shape;
            return Ok(device.zeros_field(coarsest.components(), coarsest.len())?);
        };
        let mut field = device.scratch_field(start.components_vox.len(), finest.shape.len())?;
        for (component, out) in start.components_vox.iter().zip(&mut field) {
            CopyBuffer { from: component, to: out }.run(device)?;
            // A start may have holes: there nothing is known.
            map_affine(device, (1.0, 0.0), out)?;
        }
        from_voxels(device, (finest.shape, finest.spacing_edges), &mut field)?;
        for pair in used.windows(2) {
            let factor = (pair[0].edge_mm / pair[1].edge_mm) as f32;
            for component in &mut field {
                *component = shrink(device, (component, pair[0].shape), pair[1].shape)?;
                scale(device, factor, component)?;
            }
        }
        Ok(field)
    }

    /// The flow in voxels, its confidence, and what is said of the run.
    fn conclude(&self, estimate: Estimate<'_>, start: ResidentStart<'_>) -> Result<Found, MotionError> {
        let device = &self.device;
        let LevelGeometry { shape, spacing_edges, .. } = self.levels[0];
        let Estimate { mut level, images, mut displacement, before, runs } = estimate;
        level.warp(&images, &displacement)?;
        let after = level.difference(&images)?;
        let scales = Scales {
            determinacy: DETERMINACY_PER_ALPHA * self.params.alpha,
            mismatch: HALF_CONFIDENCE_MISMATCH,
        };
        let confidence = level.into_confidence(&images, scales)?;
        to_voxels(device, (shape, spacing_edges), start.affine(), &mut displacement)?;
        let brightness = PendingBrightness { sums: [before, after], gain: 1.0 };
        Ok(Found {
            flow: ResidentFlow { grid: self.grid.clone(), components_vox: displacement },
            confidence,
            account: Box::new(ClgAccount { levels: runs, brightness }),
        })
    }
}

/// One-shot form: two images and parameters in, flow, confidence and diagnostics out, on the fastest device.
///
/// # Errors
/// As [`PairMethod::run`].
pub fn clg(fixed: &Volume<f32>, moving: &Volume<f32>, params: &ClgParams) -> Result<DenseFlow, MotionError> {
    let device = Device::auto()?;
    Clg::new(fixed.grid(), params.clone(), &device)?.run(&Pair::new(fixed, moving), &Silent)
}
