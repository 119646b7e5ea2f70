//! Finite-element registration: two images in (`f32`, 2-D or 3-D), each on a grid of its own; a displacement of the fixed grid
//! in voxels that is smooth by construction, with a confidence for every vector, out.
//!
//! *Paper*: B. Li, A. A. Young, B. R. Cowan, "GPU accelerated non-rigid registration for the evaluation of cardiac function",
//! MICCAI 2008, LNCS 5242.
//!
//! *Model*: `x(X) = X + u(X)`, `u(X) = Σ_e ψ_e(X) P_e` with cubic Bézier elements on a regular lattice, made continuous with
//! their first derivatives by the global-to-local map ([`veloxel_kernels::elements::lattice`]).
//!
//! *Energy*, summed over pixels and integrated exactly over the lattice:
//!
//! ```text
//! E(P) = Σ_X w²(X) (I₀(X) − I_t(X + u(X)))²                                                          eq. 2 and 3
//!      + ∫ α₁ |∂u/∂x|² + α₂ |∂u/∂y|² + … + β₁ |∂²u/∂x²|² + β₂ |∂²u/∂y²|² + … + β₃ |∂²u/∂x∂y|² + …
//! (H + λ diag H) δP = −½ ∇E,     ½ ∇E = Σ_X r s ψ_i + K P,     H = Σ_X s sᵀ ψ_i ψ_j + K        eq. 4 and 5
//! ```
//!
//! With `measure=ncc` the difference is what the best gain and offset of the moving image, as it is warped, leave of it
//! ([`veloxel_kernels::elements::matched_brightness`]).
//!
//! *Notation*
//!
//! | paper | code | unit |
//! |---|---|---|
//! | P, u | `controls`, `field` | edges: the smallest voxel edge of the full grid |
//! | I₀, I_t | `fixed`, `moving` | 0 to 1 |
//! | w | `weight`: the weight image within the mask | 0 to 1 |
//! | I₀ − M_t, ∇I_t | `residual`, `slopes` (times w) | , per edge |
//! | α₁, α₂ | `alpha` times `alpha_x`, `alpha_y` (and `alpha_z`) | edges² |
//! | β₁, β₂, β₃ | `beta` times `beta_x`, `beta_y` (and `beta_z`), `mixed` | edges⁴ |
//! | λ | `damping` | relative to the diagonal |
//!
//! *Where we differ from the paper*: images are sampled by cubic splines, whose own derivative at the warped position is the
//! slope; a pyramid of images goes with that of lattices; derivatives of the Sobolev term are per edge, not per element;
//! the conjugate gradients and all decisions run on the device, without the matrix, and for all slices of a stack at once.
//! *Confidence*: [`veloxel_kernels::elements::nodal_confidence`]: the posterior variance that the Gauss-Newton matrix tells.
//!
//! *Cost*: a step is two evaluations and up to `inner_iterations` products, each reading D numbers a pixel.
//! *Evidence*: `tests/motion/finite_elements.rs`; docs/algorithms/finite_elements.md.
//! *Limits*: motion must be smooth at the scale of an element; nothing slides, nothing opens.

mod batch;
mod diagnostics;
mod images;
mod optimiser;
pub mod parameters;
mod plan;

use crate::error::Result;
use crate::method::dense::DenseMethod;
use crate::method::footprint::{Footprint, Tiling};
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::{FoundFlow, PendingFlow};
use crate::method::resident::ResidentStart;
use crate::steps::buffers::copied;
use crate::steps::choices::IntensityMapping;
use crate::steps::frame::pair_maps;
use crate::steps::intensity::IntensityMap;
use crate::steps::level_account::{LevelRun, LevelsAccount};
use batch::{Batch, are_alike};
use diagnostics::Descent;
use images::{LevelImages, images};
use optimiser::{ElementsLevel, first_state};
use parameters::{ElementCover, FiniteElementsParams, ImageMeasure};
use plan::Plan;
use veloxel_core::parameters::Parameters;
use veloxel_core::{Axes, Counter, Grid, Shape};
use veloxel_gpu::{Buffer, Device, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::elements::lattice::Elements;
use veloxel_kernels::elements::lattice_fit::LatticeFit;
use veloxel_kernels::elements::nodal_field::NodalField;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_kernels::variational::total_displacement::ToVoxels;

/// A start is refined from this many lattices on: what is coarser it has settled already.
const LATTICES_AFTER_START: usize = 2;
/// Elements of the finest lattice between what a tile contributes and where it ends: a node's cubics reach over two elements of
/// a lattice, and a start leaves two lattices open.
const GUARD_ELEMENTS: f64 = 4.0;

/// The method, opened for one grid.
#[derive(Debug)]
pub struct FiniteElements {
    device: Device,
    grid: Grid,
    params: FiniteElementsParams,
    plan: Plan,
    /// Finest first.
    lattices: Vec<Elements>,
    /// From every lattice but the finest to the next finer one.
    refinements: Vec<Elements>,
    /// The lattices with the pixels of the full grid: where fields come in and go out.
    on_full_grid: Vec<Elements>,
    first_state: Buffer,
    /// For several pictures at once, once that was asked for.
    batch: Option<Box<Batch>>,
}

impl FiniteElements {
    /// Plans the lattices for a grid, and sends their tables to the device.
    ///
    /// # Errors
    /// [`MotionError::Parameter`](crate::MotionError::Parameter) if a parameter lies outside its range;
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    pub fn new(grid: &Grid, params: FiniteElementsParams, device: &Device) -> Result<Self> {
        params.validate()?;
        let plan = Plan::new(grid, &params)?;
        let lattice = |level: &plan::LevelPlan| Elements::new(device, &level.lattice);
        let lattices = plan.levels.iter().map(lattice).collect::<Result<Vec<_>, _>>()?;
        let refining = |pair: &[Elements]| Elements::refining(device, &pair[1], &pair[0]);
        let refinements = lattices.windows(2).map(refining).collect::<Result<Vec<_>, _>>()?;
        let full = |nth: usize| Elements::new(device, &plan.on_full_grid(nth));
        let on_full_grid = (0..lattices.len()).map(full).collect::<Result<Vec<_>, _>>()?;
        let first_state = device.upload(first_state(&params, plan.levels[0].lattice.problems))?;
        let (device, grid) = (device.clone(), grid.clone());
        let batch = None;
        Ok(Self { device, grid, params, plan, lattices, refinements, on_full_grid, first_state, batch })
    }

    /// The map of a pair's intensities; for images without contrast, which of them it is.
    fn intensity_map(&self, pair: &ImagePair<'_>) -> Result<Result<IntensityMap, String>> {
        pair.check(&self.grid)?;
        let map = pair_maps([pair.fixed.frame(), pair.moving.frame()], pair.region.mask)?;
        Ok(map.map(
            |[map, _]| {
                if self.params.intensity == IntensityMapping::Raw { IntensityMap::IDENTITY } else { map }
            },
        ))
    }

    /// The flow of a pair, mapped.
    fn find(&self, pair: ImagePair<'_>, map: IntensityMap) -> Result<FoundFlow> {
        let (start, all) = (pair.start, self.lattices.len());
        let used = if start.flow().is_some() { all.min(LATTICES_AFTER_START) } else { all };
        let images = images(&self.device, &self.params, &self.plan, pair, map, used)?;
        let (level, runs) = self.coarse_to_fine(&images, start)?;
        self.conclude(level, &images, runs, start)
    }

    /// From the coarsest lattice that the start leaves open down to the finest.
    fn coarse_to_fine(
        &self,
        images: &[LevelImages],
        start: ResidentStart<'_>,
    ) -> Result<(ElementsLevel<'_>, Vec<LevelRun<Later<Descent>>>)> {
        let Self { device, params, lattices, .. } = self;
        let used = images.len();
        let (mut runs, mut coarser): (Vec<_>, Option<ElementsLevel<'_>>) = (Vec::new(), None);
        for nth in (0..used).rev() {
            let begin = device.stamp()?;
            let mut level = ElementsLevel::new(device, params, &lattices[nth], &self.first_state)?;
            match &coarser {
                Some(coarser) => level.refine(coarser, &self.refinements[nth])?,
                None => self.begin(&mut level.controls, nth, start)?,
            }
            level.run(&images[nth], params.steps)?;
            level.unfold(&self.on_full_grid[nth], self.voxels_per_edge())?;
            let lattice = Counter { what: "lattice", now: used - nth, of: used };
            device.control().step(0.25f64.powi(nth as i32), [Some(lattice), None])?;
            let own = Descent::of(&lattices[nth], copied(device, level.state())?);
            runs.push(LevelRun { size: lattices[nth].shape.size, own, span: [begin, device.stamp()?] });
            coarser = Some(level);
        }
        Ok((coarser.expect("there should be a lattice"), runs))
    }

    /// The control points that the coarsest lattice used begins with.
    fn begin(&self, controls: &mut Buffer, nth: usize, start: ResidentStart<'_>) -> Result<()> {
        let device = &self.device;
        let Some(start) = start.flow() else {
            Operation::Fill(0.0).on(controls).run(device)?;
            return Ok(());
        };
        let field = &start.without_holes(device, self.components())?;
        let (elements, factor) = (&self.on_full_grid[nth], self.plan.spacing_edges);
        Ok(LatticeFit { elements, field, factor, controls }.run(device)?)
    }

    fn voxels_per_edge(&self) -> Axes<f32> {
        self.plan.spacing_edges.map(|spacing| 1.0 / spacing)
    }

    /// Components of the elements' field.
    fn components(&self) -> usize {
        self.lattices[0].components()
    }

    /// The flow in voxels, its confidence, and the account of the run.
    fn conclude(
        &self,
        level: ElementsLevel<'_>,
        images: &[LevelImages],
        runs: Vec<LevelRun<Later<Descent>>>,
        start: ResidentStart<'_>,
    ) -> Result<FoundFlow> {
        let (device, shape) = (&self.device, Shape::of(&self.grid));
        let confidence = level.confidence(&images[0])?;
        let mut components_vox = device.scratch_field(self.components(), shape.len())?;
        let field = NodalField {
            elements: &self.on_full_grid[0],
            state: level.state(),
            controls: &level.controls,
            factor: self.voxels_per_edge(),
            out: &mut components_vox,
        };
        field.run(device)?;
        if shape.components() > self.components() {
            components_vox.push(device.zeros(shape.len())?);
        }
        let map = start.affine();
        if map != VoxelAffine::IDENTITY {
            ToVoxels { shape, spacing_edges: [1.0; 3], map, field: &mut components_vox }.run(device)?;
        }
        let account = LevelsAccount { levels: runs, brightness: None };
        Ok(FoundFlow::new(&self.grid, components_vox, confidence, account))
    }
}

/// What a run over lattices, finest first, takes of a device's memory.
fn footprint(params: &FiniteElementsParams, lattices: &[Elements]) -> Footprint {
    let (finest, voxels) = (&lattices[0], lattices[0].pixels() as f64);
    let d = finest.components() as f64;
    let share = |samples: usize| samples as f64 / voxels;
    let unknowns = |e: &Elements| share(e.problems * e.unknowns());
    // Residuals and slopes in two sets; control points, gradient and diagonal likewise, and where they began.
    let lattice =
        |e: &Elements| (2.0 + 2.0 * d) * share(e.pixels()) + 2.0 * share(e.row_sums()) + 7.0 * unknowns(e);
    let inner = share(finest.row_sums()) + 6.0 * unknowns(finest);
    let coarser = lattices.get(1).map_or(0.0, lattice);
    // The conjugate gradients, then the field whose folds are looked for; at last confidence, flow and determinant.
    let most = (coarser + inner).max(coarser + d + 1.0).max(unknowns(finest) / d + 2.0 + d);
    let matched = if params.measure == ImageMeasure::Correlation { 4.0 } else { 0.0 };
    let images: f64 = lattices.iter().map(|e| share(e.pixels())).sum();
    // The pyramids take over most of what the frames were sent in.
    Footprint {
        samples_per_voxel: 0.8 + 2.0 * images + matched + lattice(finest) + most,
        tiling: tiling(params),
    }
}

/// A start settles all but the finest lattices, and what those find depends on a few elements around. Pictures that share one
/// motion over time are one problem.
fn tiling(params: &FiniteElementsParams) -> Tiling {
    match params.cover {
        ElementCover::Time | ElementCover::Cycle => Tiling::Never,
        ElementCover::Volume | ElementCover::Slices => Tiling::Overlap {
            guard_vox: (GUARD_ELEMENTS * params.element).ceil() as usize,
            coarsening: 1 << LATTICES_AFTER_START,
        },
    }
}

impl DenseMethod for FiniteElements {
    fn grid(&self) -> &Grid {
        &self.grid
    }
    fn device(&self) -> &Device {
        &self.device
    }
    fn takes_brightness_as_it_is(&self) -> bool {
        self.params.intensity == IntensityMapping::Raw
    }
    fn footprint(&self) -> Option<Footprint> {
        Some(footprint(&self.params, &self.lattices))
    }
}

impl PairMethod for FiniteElements {
    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow> {
        let (device, grid) = (self.device.clone(), self.grid.clone());
        device.scope(|| {
            let region = pair.region;
            let found = match self.intensity_map(&pair)? {
                Ok(map) => self.find(pair, map)?,
                Err(why) => return PendingFlow::no_content(&device, &grid, why),
            };
            PendingFlow::new(&device, found, region.measured())
        })
    }

    fn pairs_together(&self) -> usize {
        self.batch_size()
    }

    fn estimate_many(&mut self, pairs: Vec<ImagePair<'_>>) -> Result<Vec<PendingFlow>> {
        if pairs.len() == 1 || self.batch_size() == 1 || !are_alike(&pairs) {
            return pairs.into_iter().map(|pair| self.estimate(pair)).collect();
        }
        let device = self.device.clone();
        device.scope(|| self.together(pairs))
    }
}
