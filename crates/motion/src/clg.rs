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
//! | R | `warps`, `finest_warps` | |
//! | k | `iterations` | |
//!
//! *Where we differ from the paper*, each by a parameter whose `paper` preset is the paper's choice: the regulariser acts on
//! the total displacement; derivatives are central and taken on both images; a pyramid; constraints are normalised to
//! distances; the divergence is squared (printed linear in eq. 10, where it would vanish from the Euler-Lagrange equations);
//! volume change may be measured by the Jacobian of the composed motion; increments are composed, so that the field does
//! not fold; robust penalisers, gradient constancy, local normalisation and medians; adaptive stopping (future work iii).
//!
//! *Cost*, quadratic 3-D: 22 volumes of memory; a warp moves 8 (warp) + 50 (tensor) + 70 (V-cycle) volumes.
//!
//! *Evidence*: `tests/phantoms.rs` (shift, rotation, affine, twist, sinusoid: ≤ 0.02 voxel; shells: more), `tests/symmetry.rs`
//! (equal images, flips, axis swaps, spacing, threads), `tests/solvers.rs`; docs/status/accuracy.md (Middlebury, NIREP, mouse LV).
//!
//! *Limits*: motion larger than half the image, or than 16 voxels of the coarsest level, is not found; where the moving image
//! ends there are no data and the neighbours decide (confidence falls); images without contrast give the zero field with
//! confidence 0 and a warning.

use crate::affine_registration::to_level;
use crate::clg_images::{Images, as_weight};
use crate::clg_level::{Level, LevelImages, Progress};
use crate::clg_parameters::{ClgParams, Direction, Intensity};
use crate::coarse_to_fine::{LevelGeometry, levels, shrink, transfer};
use crate::prepare::{IntensityMap, check_pair};
use crate::{MotionError, Observer};
use veloxel_compute::kernels::brightness::absolute_difference;
use veloxel_compute::kernels::compose::{self, compose};
use veloxel_compute::kernels::confidence::Scales;
use veloxel_compute::kernels::jacobian::jacobian;
use veloxel_compute::kernels::total_displacement::{from_voxels, to_voxels};
use veloxel_compute::kernels::warp::VoxelAffine;
use veloxel_compute::{Buffer, Device, Field};
use veloxel_core::{
    BrightnessReport, Flow, FlowStatistics, Grid, JacobianReport, Mask, SolveStatus, StopReason, Volume,
    WarningKind, Warnings,
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
    pub(crate) grid: Grid,
    /// Finest first.
    pub(crate) levels: Vec<LevelGeometry>,
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
        Ok(Self { device: device.clone(), params, grid: grid.clone(), levels })
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
        check_pair(pair.fixed, pair.moving, pair.mask)?;
        if let Some(mask) = pair.volume_mask {
            self.grid.require_same(mask.grid(), "fixed image and volume mask")?;
        }
        self.grid.require_same(pair.fixed.grid(), "the grid this method was set up for, and the images'")?;
        let mut warnings = Warnings::new();
        let map = match self.params.intensity {
            Intensity::Raw => Some(IntensityMap::IDENTITY),
            Intensity::Percentiles => IntensityMap::percentiles(pair.fixed, pair.mask),
        };
        // Outside of its mask the fixed image may hold anything, NaN included.
        let flat = |image, mask| IntensityMap::percentiles(image, mask).is_none();
        let flat = (flat(pair.fixed, pair.mask), flat(pair.moving, None));
        let (Some(map), (false, false)) = (map, flat) else {
            let which = if flat == (false, true) { "moving" } else { "fixed" };
            warnings.push(
                WarningKind::Content,
                format!("the {which} image is constant: no motion can be seen; the field is zero with confidence 0"),
            );
            return Ok(self.nothing_to_see(pair, warnings));
        };
        let device = self.device.clone();
        device.scope(|| {
            let mut output = self.run_stages(pair, (map, warnings), observer)?;
            if self.params.direction == Direction::Both {
                let back = Pair {
                    fixed: pair.moving,
                    moving: pair.fixed,
                    mask: None,
                    // The muscle lies elsewhere in the other image, but by less than its size.
                    volume_mask: pair.volume_mask,
                    start: match pair.start {
                        Start::Affine(map) => Start::Affine(crate::affine_registration::invert(&map)?),
                        _ => Start::Zero,
                    },
                };
                let back = self.run_stages(&back, (map, Warnings::new()), observer)?;
                self.apply_inverse_consistency(&mut output, &back.flow)?;
            }
            Ok(output)
        })
    }

    /// The defined result for images without contrast.
    fn nothing_to_see(&self, pair: &Pair<'_>, warnings: Warnings) -> FlowOutput {
        let same = |value: f32| Volume::from_fn(self.grid.clone(), |_| value);
        FlowOutput {
            flow: Flow::zeros(self.grid.clone()),
            confidence: same(0.0),
            warped: pair.moving.clone(),
            jacobian: same(1.0),
            statistics: FlowStatistics {
                status: SolveStatus::NoContent,
                levels: Vec::new(),
                brightness: BrightnessReport::default(),
                jacobian: JacobianReport { min: 1.0, max: 1.0, ..Default::default() },
                inverse_residual_vox: None,
                warnings,
            },
        }
    }

    /// One direction, refined if the images match by then.
    fn run_stages(
        &self,
        pair: &Pair<'_>,
        (map, warnings): (IntensityMap, Warnings),
        observer: &dyn Observer,
    ) -> Result<FlowOutput, MotionError> {
        let estimate = self.run_one_way(pair, (map, warnings.clone()), observer)?;
        self.refine(pair, (map, warnings), observer, estimate)
    }

    pub(crate) fn run_one_way(
        &self,
        pair: &Pair<'_>,
        (map, mut warnings): (IntensityMap, Warnings),
        observer: &dyn Observer,
    ) -> Result<FlowOutput, MotionError> {
        let device = &self.device;
        let finest = &self.levels[0];
        let affine = match pair.start {
            Start::Affine(map) => map,
            _ => VoxelAffine::IDENTITY,
        };
        let used = match pair.start {
            Start::Flow(_) => &self.levels[..self.levels.len().min(LEVELS_AFTER_START)],
            _ => &self.levels[..],
        };
        let mut images = Images::new((device, &self.params), pair, (map, used))?;
        let mut displacement: Field = match pair.start {
            Start::Flow(start) => {
                self.grid.require_same(start.grid(), "fixed image and start field")?;
                self.start_on_coarsest(start, used)?
            }
            _ => {
                let coarsest = used[used.len() - 1].shape;
                device.zeros_field(coarsest.components(), coarsest.len())?
            }
        };
        let warps_of = |nth: usize| if nth == 0 { self.params.finest_warps } else { self.params.warps };
        let work = |nth: usize| used[nth].shape.len() as f64 * warps_of(nth) as f64;
        let all: f64 = (0..used.len()).map(work).sum();
        let mut before = 0.0;
        let mut reports = Vec::new();
        let mut warped = None;
        for nth in (0..used.len()).rev() {
            let geometry = &used[nth];
            if nth + 1 < used.len() {
                displacement = transfer(device, (&displacement, &used[nth + 1]), geometry)?;
            }
            let progress = Progress {
                observer,
                level: used.len() - nth,
                levels: used.len(),
                work: (before, geometry.shape.len() as f64, all),
            };
            let (fixed, moving, [mask, volume_mask]) =
                images.take(nth, (device, geometry.shape, &self.params))?;
            let level_images = LevelImages {
                fixed: &fixed,
                moving: &moving,
                mask: mask.as_ref(),
                moving_from_fixed: to_level(&affine, geometry),
            };
            let mut level =
                Level::new(device, &self.params, geometry, volume_mask.as_ref().or(mask.as_ref()))?;
            reports.push(level.run(&level_images, &mut displacement, (warps_of(nth), &progress))?);
            if nth == 0 {
                level.warp(&level_images, &displacement)?;
                let (sum, count) = absolute_difference(device, (&fixed, &level.warped), mask.as_ref())?;
                let scales = Scales {
                    determinacy: DETERMINACY_PER_ALPHA * self.params.alpha,
                    mismatch: HALF_CONFIDENCE_MISMATCH,
                };
                let (last, confidence) = level.into_confidence(&level_images, scales)?;
                let brightness = BrightnessReport {
                    mean_abs_before: images.mean_abs_before,
                    mean_abs_after: if count > 0.0 { sum / count } else { 0.0 },
                };
                warped = Some((last, brightness, confidence));
            }
            before += work(nth);
        }
        let (warped, brightness, confidence) = warped.expect("the finest level should have run");
        let measured = pair.volume_mask.or(pair.mask).map(|m| as_weight(device, m));
        to_voxels(device, (finest.shape, finest.spacing_edges), affine, &mut displacement)?;
        let mut determinant = device.zeros(finest.shape.len())?;
        let report =
            jacobian(device, (finest.shape, [1.0; 3]), (&displacement, measured.as_ref()), &mut determinant)?;
        if report.share_folded > 1e-3 {
            warnings.push(
                WarningKind::Field,
                format!("{:.2} % of the voxels fold (det ≤ 0): raise alpha", 100.0 * report.share_folded),
            );
        }
        let status = if reports.iter().any(|l| l.stop == StopReason::IterationLimit) {
            SolveStatus::LimitReached
        } else {
            SolveStatus::Done
        };
        let volume = |buffer: Buffer| Volume::new(self.grid.clone(), device.download(buffer));
        let mut warped = volume(warped)?;
        let back = map.upper - map.lower;
        warped.data_mut().iter_mut().for_each(|v| *v = *v * back + map.lower);
        let mut determinant = volume(determinant)?;
        determinant.data_mut().iter_mut().for_each(|v| *v += 1.0);
        Ok(FlowOutput {
            flow: Flow::new(
                self.grid.clone(),
                displacement.into_iter().map(|b| device.download(b)).collect(),
            )?,
            confidence: volume(confidence)?,
            warped,
            jacobian: determinant,
            statistics: FlowStatistics {
                status,
                levels: reports,
                brightness,
                jacobian: report,
                inverse_residual_vox: None,
                warnings,
            },
        })
    }

    /// A start field in the edges of the coarsest level used.
    fn start_on_coarsest(&self, start: &Flow, used: &[LevelGeometry]) -> Result<Field, MotionError> {
        let device = &self.device;
        let mut field: Field = Vec::new();
        for component in start.components_vox() {
            // A start may have holes: there nothing is known.
            field.push(
                device.upload(component.iter().map(|v| if v.is_finite() { *v } else { 0.0 }).collect()),
            );
        }
        from_voxels(device, (used[0].shape, used[0].spacing_edges), &mut field)?;
        for pair in used.windows(2) {
            let factor = (pair[0].edge_mm / pair[1].edge_mm) as f32;
            for component in &mut field {
                *component = shrink(device, (component, pair[0].shape), pair[1].shape)?;
                veloxel_compute::kernels::pointwise::scale(device, factor, component);
            }
        }
        Ok(field)
    }

    /// Lowers the confidence where going there and back does not lead home.
    fn apply_inverse_consistency(&self, output: &mut FlowOutput, back: &Flow) -> Result<(), MotionError> {
        let device = &self.device;
        let shape = self.levels[0].shape;
        let upload = |flow: &Flow| -> Field {
            flow.components_vox().iter().map(|c| device.upload(c.clone())).collect()
        };
        let (mut residual, back) = (upload(&output.flow), upload(back));
        compose(device, (shape, [1.0; 3]), (compose::Update::Compose, &back), &mut residual)?;
        let components: Vec<Vec<f32>> = residual.into_iter().map(|b| device.download(b)).collect();
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
