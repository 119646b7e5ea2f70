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
//! pictures that do (`clg_weights.rs`, `clg_refinement.rs`).
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

use crate::affine_registration::to_level;
use crate::clg_images::{Images, as_weight};
use crate::clg_level::{Level, LevelImages, Progress, WarpLimits};
use crate::clg_level_run::LevelRun;
use crate::clg_parameters::{ClgParams, Direction, Intensity};
use crate::coarse_to_fine::{LevelGeometry, levels, shrink, transfer};
use crate::frame::{Frame, Source};
use crate::prepare::{IntensityMap, check_grids};
use crate::running::{OnDevice, Running};
use crate::{MotionError, Observer};
use veloxel_compute::kernels::compose::{self, compose};
use veloxel_compute::kernels::confidence::Scales;
use veloxel_compute::kernels::jacobian::jacobian;
use veloxel_compute::kernels::pointwise::rescale;
use veloxel_compute::kernels::total_displacement::{from_voxels, to_voxels};
use veloxel_compute::kernels::warp::VoxelAffine;
use veloxel_compute::{Device, Field, Later};
use veloxel_core::parameters::Parameters;
use veloxel_core::{
    BrightnessReport, Flow, FlowStatistics, Grid, JacobianReport, Mask, SolveStatus, Volume, WarningKind,
    Warnings,
};

/// What is known before the first warp.
#[derive(Debug, Clone, Copy, Default)]
pub enum Start<'a> {
    /// Nothing.
    #[default]
    Zero,
    /// An affine map between voxel positions; smoothness is asked of what comes on top.
    Affine(VoxelAffine),
    /// A field, refined from the level that resolves it on.
    Flow(&'a Flow),
}

/// Two images and what else is known.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// The image the flow lives on.
    pub fixed: &'a Volume<f32>,
    /// The image the flow points into.
    pub moving: &'a Volume<f32>,
    /// Where data count; none: everywhere.
    pub mask: Option<&'a Mask>,
    /// Where volume is preserved (the muscle); none: wherever data count. β = 0 preserves it nowhere.
    pub volume_mask: Option<&'a Mask>,
    /// Before the first warp.
    pub start: Start<'a>,
}

/// Where a pair's data count.
#[derive(Debug, Clone, Copy, Default)]
pub struct Region<'a> {
    /// Where data count; none: everywhere.
    pub mask: Option<&'a Mask>,
    /// Where volume is preserved; none: wherever data count.
    pub volume_mask: Option<&'a Mask>,
}

/// A field with everything that is said about it, all on the fixed grid.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowOutput {
    /// fixed(x) ≈ moving(x + d(x)).
    pub flow: Flow,
    /// In [0, 1].
    pub confidence: Volume<f32>,
    /// The moving image at x + d(x), in its own intensities; NaN outside.
    pub warped: Volume<f32>,
    /// det(I + ∇d).
    pub jacobian: Volume<f32>,
    /// How the run went.
    pub statistics: FlowStatistics,
}

/// The method, set up for one grid.
#[derive(Debug)]
pub struct Clg {
    pub(crate) device: Device,
    pub(crate) params: ClgParams,
    /// Of the second stage.
    refinement: Option<ClgParams>,
    grid: Grid,
    /// Finest first.
    pub(crate) levels: Vec<LevelGeometry>,
}

/// What was found on the finest level, before anything is said about it.
pub(crate) struct Estimate<'a> {
    pub level: Level<'a>,
    pub images: LevelImages,
    /// Edges, on top of `affine`.
    pub displacement: Field,
    /// Σ |I_t| and number of voxels before the first warp.
    pub before: Later<(f64, f64)>,
    /// Coarsest first.
    pub runs: Vec<LevelRun>,
}

/// A start field is refined from this many levels on: what is coarser it has settled already.
const LEVELS_AFTER_START: usize = 3;
/// Below this, J's eigenvalues are interpolation: the smoothness weight of a voxel's springs, see [`confidence`].
const DETERMINACY_PER_ALPHA: f32 = 0.1;
/// Mismatch at which the fit counts half, edges (normalised) or mapped intensities.
const HALF_CONFIDENCE_MISMATCH: f32 = 0.5;
/// Forward-backward residual at which the confidence halves, voxels.
const HALF_CONFIDENCE_INVERSE_VOX: f64 = 0.5;

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

    /// Where it runs.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The parameters in force.
    pub fn params(&self) -> &ClgParams {
        &self.params
    }

    /// Estimates the flow of a pair on this grid.
    ///
    /// # Errors
    /// [`MotionError::Input`] if the images do not lie on this grid or hold NaN; [`MotionError::Compute`] if the device fails.
    pub fn run(&mut self, pair: &Pair<'_>, observer: &dyn Observer) -> Result<FlowOutput, MotionError> {
        check_grids(pair.fixed.grid(), pair.moving.grid(), pair.mask)?;
        self.grid.require_same(pair.fixed.grid(), "the grid this method was set up for, and the images'")?;
        let device = self.device.clone();
        device.scope(|| {
            let fixed = Frame::upload(&device, pair.fixed)?;
            let moving = Frame::upload(&device, pair.moving)?;
            let region = Region { mask: pair.mask, volume_mask: pair.volume_mask };
            if self.params.direction == Direction::Forward {
                let sources = [Source::Take(fixed), Source::Take(moving)];
                return self.ask(sources, (region, pair.start), observer)?.finish();
            }
            let sources = [Source::Keep(&fixed), Source::Keep(&moving)];
            let mut output = self.ask(sources, (region, pair.start), observer)?.finish()?;
            if output.statistics.status == SolveStatus::NoContent {
                return Ok(output);
            }
            // The muscle lies elsewhere in the other image, but by less than its size.
            let region = Region { mask: None, volume_mask: pair.volume_mask };
            let start = match pair.start {
                Start::Affine(map) => Start::Affine(crate::affine_registration::invert(&map)?),
                _ => Start::Zero,
            };
            let sources = [Source::Take(moving), Source::Take(fixed)];
            let back = self.ask(sources, (region, start), observer)?.finish()?;
            self.apply_inverse_consistency(&mut output, &back.flow)?;
            Ok(output)
        })
    }

    /// Estimates the flow between frames that are on the device already, which may not have done it when this returns.
    ///
    /// Both directions are [`Self::run`]'s business: here the field of the fixed frame alone is found.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_frames(
        &mut self,
        (fixed, moving): (&Frame, &Frame),
        (region, start): (Region<'_>, Start<'_>),
        observer: &dyn Observer,
    ) -> Result<Running, MotionError> {
        check_grids(fixed.grid(), moving.grid(), region.mask)?;
        self.grid.require_same(fixed.grid(), "the grid this method was set up for, and the frames'")?;
        let device = self.device.clone();
        device.scope(|| self.ask([Source::Keep(fixed), Source::Keep(moving)], (region, start), observer))
    }

    /// Asks the device for everything.
    fn ask(
        &mut self,
        sources: [Source<'_>; 2],
        (region, start): (Region<'_>, Start<'_>),
        observer: &dyn Observer,
    ) -> Result<Running, MotionError> {
        let device = &self.device;
        if let Some(mask) = region.volume_mask {
            self.grid.require_same(mask.grid(), "fixed image and volume mask")?;
        }
        let [fixed, moving] = sources.each_ref().map(Source::frame);
        // Outside of its mask the fixed image may hold anything, NaN included.
        fixed.require_finite(device, ("the fixed image", region.mask))?;
        moving.require_finite(device, ("the moving image", None))?;
        let (contrast, other) = (fixed.map_within(device, region.mask)?, moving.map()?);
        let (Some(contrast), Some(_)) = (contrast, other) else {
            let which = if contrast.is_some() { "moving" } else { "fixed" };
            let mut warnings = Warnings::new();
            warnings.push(
                WarningKind::Content,
                format!("the {which} image is constant: no motion can be seen; the field is zero with confidence 0"),
            );
            return self.nothing_to_see(moving, warnings).map(Running::done);
        };
        let map = match self.params.intensity {
            Intensity::Raw => IntensityMap::IDENTITY,
            Intensity::Percentiles => contrast,
        };
        self.run_one_way(sources, (region, start), (map, observer))
    }

    /// The defined result for images without contrast.
    fn nothing_to_see(&self, moving: &Frame, warnings: Warnings) -> Result<FlowOutput, MotionError> {
        let same = |value: f32| Volume::from_fn(self.grid.clone(), |_| value);
        Ok(FlowOutput {
            flow: Flow::zeros(self.grid.clone()),
            confidence: same(0.0),
            warped: Volume::new(self.grid.clone(), moving.read(&self.device)?)?,
            jacobian: same(1.0),
            statistics: FlowStatistics {
                status: SolveStatus::NoContent,
                levels: Vec::new(),
                brightness: BrightnessReport::default(),
                jacobian: JacobianReport { min: 1.0, max: 1.0, ..Default::default() },
                inverse_residual_vox: None,
                warnings,
            },
        })
    }

    fn run_one_way(
        &self,
        sources: [Source<'_>; 2],
        (region, start): (Region<'_>, Start<'_>),
        (map, observer): (IntensityMap, &dyn Observer),
    ) -> Result<Running, MotionError> {
        let affine = match start {
            Start::Affine(affine) => affine,
            _ => VoxelAffine::IDENTITY,
        };
        let estimate = match &self.refinement {
            None => self.descend(sources, (region, start, affine), (map, observer))?,
            Some(params) => {
                let kept = sources.each_ref().map(Source::keep);
                let robust = self.descend(kept, (region, start, affine), (map, observer))?;
                self.refine((robust, params), (sources, region), (map, observer))?
            }
        };
        self.conclude(estimate, (region, affine), map)
    }

    /// From the coarsest level that the start leaves open down to the finest.
    fn descend(
        &self,
        sources: [Source<'_>; 2],
        (region, start, affine): (Region<'_>, Start<'_>, VoxelAffine),
        (map, observer): (IntensityMap, &dyn Observer),
    ) -> Result<Estimate<'_>, MotionError> {
        let device = &self.device;
        let used = match start {
            Start::Flow(_) => &self.levels[..self.levels.len().min(LEVELS_AFTER_START)],
            _ => &self.levels[..],
        };
        let mut pyramid = Images::new((device, &self.params), (sources, region), (map, used))?;
        let mut displacement: Field = match start {
            Start::Flow(start) => {
                self.grid.require_same(start.grid(), "fixed image and start field")?;
                self.start_on_coarsest(start, used)?
            }
            _ => {
                let coarsest = used[used.len() - 1].shape;
                device.zeros_field(coarsest.components(), coarsest.len())?
            }
        };
        let limits_of = |nth: usize| match nth {
            0 => self.params.finest_limits(),
            _ => WarpLimits { open: self.params.warps, matched: self.params.warps },
        };
        let work = |nth: usize| used[nth].shape.len() as f64 * limits_of(nth).open as f64;
        let all: f64 = (0..used.len()).map(work).sum();
        let mut before = 0.0;
        let mut runs = Vec::new();
        let mut finest = None;
        for nth in (0..used.len()).rev() {
            let geometry = &used[nth];
            if nth + 1 < used.len() {
                displacement = transfer(device, (&displacement, &used[nth + 1]), geometry)?;
            }
            let progress = Progress {
                observer,
                level: used.len() - nth,
                levels: used.len(),
                work: (before, work(nth), all),
            };
            let images =
                pyramid.take(nth, (device, geometry.shape, &self.params), to_level(&affine, geometry))?;
            let mut level = Level::new(device, &self.params, geometry, &images)?;
            runs.push(level.run(&images, &mut displacement, (limits_of(nth), &progress))?);
            before += work(nth);
            if nth == 0 {
                finest = Some((level, images));
            }
        }
        let (level, images) = finest.expect("the finest level should have run");
        Ok(Estimate { level, images, displacement, before: pyramid.before, runs })
    }

    /// Everything that is said about an estimate, asked of the device.
    fn conclude(
        &self,
        estimate: Estimate<'_>,
        (region, affine): (Region<'_>, VoxelAffine),
        map: IntensityMap,
    ) -> Result<Running, MotionError> {
        let device = &self.device;
        let LevelGeometry { shape, spacing_edges, .. } = self.levels[0];
        let Estimate { mut level, images, mut displacement, before, runs } = estimate;
        level.warp(&images, &displacement)?;
        let after = level.difference(&images)?;
        let scales = Scales {
            determinacy: DETERMINACY_PER_ALPHA * self.params.alpha,
            mismatch: HALF_CONFIDENCE_MISMATCH,
        };
        let (mut warped, confidence) = level.into_confidence(&images, scales)?;
        let measured = region.volume_mask.or(region.mask).map(|m| as_weight(device, m)).transpose()?;
        to_voxels(device, (shape, spacing_edges), affine, &mut displacement)?;
        let mut determinant = device.scratch(shape.len())?;
        let measures =
            jacobian(device, (shape, [1.0; 3]), (&displacement, measured.as_ref()), &mut determinant)?;
        rescale(device, (1.0, 1.0), &mut determinant)?;
        rescale(device, (map.upper - map.lower, map.lower), &mut warped)?;
        Ok(Running::on_device(OnDevice {
            device: device.clone(),
            grid: self.grid.clone(),
            displacement,
            volumes: [confidence, warped, determinant],
            levels: runs,
            brightness: [before, after],
            jacobian: measures,
            mark: device.mark()?,
        }))
    }

    /// A start field in the edges of the coarsest level used.
    fn start_on_coarsest(&self, start: &Flow, used: &[LevelGeometry]) -> Result<Field, MotionError> {
        let device = &self.device;
        let mut field: Field = Vec::new();
        for component in start.components_vox() {
            // A start may have holes: there nothing is known.
            field.push(
                device.upload(component.iter().map(|v| if v.is_finite() { *v } else { 0.0 }).collect())?,
            );
        }
        from_voxels(device, (used[0].shape, used[0].spacing_edges), &mut field)?;
        for pair in used.windows(2) {
            let factor = (pair[0].edge_mm / pair[1].edge_mm) as f32;
            for component in &mut field {
                *component = shrink(device, (component, pair[0].shape), pair[1].shape)?;
                veloxel_compute::kernels::pointwise::scale(device, factor, component)?;
            }
        }
        Ok(field)
    }

    /// Lowers the confidence where going there and back does not lead home.
    fn apply_inverse_consistency(&self, output: &mut FlowOutput, back: &Flow) -> Result<(), MotionError> {
        let device = &self.device;
        let shape = self.levels[0].shape;
        let upload = |flow: &Flow| -> Result<Field, _> {
            flow.components_vox().iter().map(|c| device.upload_copy(c)).collect()
        };
        let (mut residual, back) = (upload(&output.flow)?, upload(back)?);
        compose(device, (shape, [1.0; 3]), (compose::Update::Compose, &back), &mut residual)?;
        let components: Vec<Vec<f32>> =
            residual.into_iter().map(|b| device.download(b)).collect::<Result<_, _>>()?;
        let mut total = 0.0;
        for (i, confidence) in output.confidence.data_mut().iter_mut().enumerate() {
            let length2: f64 = components.iter().map(|c| f64::from(c[i]).powi(2)).sum();
            total += length2.sqrt();
            *confidence *= (1.0 / (1.0 + length2 / HALF_CONFIDENCE_INVERSE_VOX.powi(2))) as f32;
        }
        output.statistics.inverse_residual_vox = Some(total / shape.len() as f64);
        Ok(())
    }
}

/// One-shot form: parameters in, output out, on the fastest device.
///
/// # Errors
/// As [`Clg::run`].
pub fn clg(fixed: &Volume<f32>, moving: &Volume<f32>, params: &ClgParams) -> Result<FlowOutput, MotionError> {
    let device = Device::auto()?;
    let pair = Pair { fixed, moving, mask: None, volume_mask: None, start: Start::Zero };
    Clg::new(fixed.grid(), params.clone(), &device)?.run(&pair, &crate::Silent)
}
