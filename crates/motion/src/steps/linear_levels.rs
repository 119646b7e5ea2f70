//! The levels of both images' pyramids on which a linear map is found: by brightness, and by mutual information where the joint
//! histogram says that intensities mean different things.

use crate::error::{MotionError, Result};
use crate::steps::information::{Comparison, LevelPair};
use crate::steps::motion_group::{AffineModel, MotionGroup, farthest, solve};
use crate::steps::pyramid::{LevelGeometry, between_grids, between_levels};
use veloxel_core::matrix3::determinant;
use veloxel_core::{Grid, Shape};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::affine_normal_equations::AffineNormalEquations;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine, Warp};

/// The finest level used has at most this many voxels: an affine map needs no more.
const MOST_VOXELS: usize = 1 << 21;
/// Gauss-Newton steps a level.
const STEPS: usize = 12;
/// A level ends when no corner of the grid moves by more than this, voxels of the level.
const STEP_TOLERANCE_VOX: f64 = 0.01;
/// ζ of the normalised constraint, intensity per voxel.
const ZETA: f32 = 0.1;

/// The pyramids of both images and of the mask, finest first.
pub(super) struct PyramidPair<'a> {
    pub fixed: &'a [Buffer],
    pub moving: &'a [Buffer],
    pub mask: Option<&'a [Buffer]>,
}

/// The levels that a map is found on; maps lead from voxels of the full fixed grid to those of the full moving one.
pub(super) struct Levels<'a> {
    pub grid: &'a Grid,
    pub model: AffineModel,
    pub all: &'a [LevelGeometry],
    pub all_moving: &'a [LevelGeometry],
    pub placed: VoxelAffine,
}

/// The share of the fixed image's variance by which a function of the moving image must explain more than that does as it is, for
/// their intensities to mean different things.
const DIFFERENT: f64 = 0.15;
/// Voxels of the level on which that is judged, at least.
const JUDGED_VOXELS: usize = 4096;
/// Voxels of the finest level that is read for mutual information. Smoothing shifts its maximum: on a brain with a quarter of the
/// voxels along each axis by 0.9 % of scale, with half of them by 0.2 %.
const MOST_READ: usize = 1 << 23;
/// Turns about every axis that are tried on the coarsest level, radians, and how many of the best are gone on with.
const TRIED_TURNS: [f64; 3] = [0.0, -0.35, 0.35];
const FOLLOWED: usize = 3;

impl Levels<'_> {
    /// From the coarsest to the finest level of at most so many voxels.
    fn used(&self, most_voxels: usize) -> impl Iterator<Item = usize> {
        let is_used = move |nth: &usize| self.all[*nth].shape.len() <= most_voxels;
        (0..self.all.len()).rev().take_while(is_used)
    }

    fn pair(&self, nth: usize) -> [&LevelGeometry; 2] {
        [&self.all[nth], &self.all_moving[nth]]
    }

    fn group(&self, model: AffineModel, nth: usize) -> Option<MotionGroup> {
        MotionGroup::of(model, self.grid, self.all[nth].spacing_vox)
    }

    /// The map by which the moving image looks like the fixed one.
    pub fn by_brightness(
        &self,
        device: &Device,
        images: &PyramidPair<'_>,
        start: VoxelAffine,
    ) -> Result<VoxelAffine> {
        let mut found = self.placed.after(&start);
        for nth in self.used(MOST_VOXELS) {
            let weight = images.mask.map(|mask| &mask[nth]);
            let levels = self.pair(nth);
            let unmoved = determinant(&between_levels(&self.placed, levels).matrix);
            let Some(group) = self.group(self.model, nth) else { break };
            let way = Alignment { levels, weight, unmoved, group: &group };
            found = align(device, &way, [&images.fixed[nth], &images.moving[nth]], found)?;
        }
        Ok(found)
    }

    /// A level on the host.
    fn on_host(&self, device: &Device, images: &PyramidPair<'_>, nth: usize) -> Result<LevelPair> {
        Ok(LevelPair {
            fixed: device.read(&images.fixed[nth])?,
            moving: device.read(&images.moving[nth])?,
            shapes: self.pair(nth).map(|level| level.shape),
            weight: images.mask.map(|mask| device.read(&mask[nth])).transpose()?,
        })
    }

    /// What was found by brightness, unless the joint histogram says that intensities mean different things: then the map of most
    /// information, from any of the starts.
    pub fn by_information(
        &self,
        device: &Device,
        images: &PyramidPair<'_>,
        starts: [VoxelAffine; 2],
        by_brightness: Result<VoxelAffine>,
    ) -> Result<VoxelAffine> {
        let judged = self.used(MOST_READ).find(|&nth| self.all[nth].shape.len() >= JUDGED_VOXELS);
        let Some(judged) = judged.or_else(|| self.used(MOST_READ).last()) else { return by_brightness };
        let on_host = self.on_host(device, images, judged)?;
        let Some(compared) = Comparison::new(&on_host) else { return by_brightness };
        let on_level = |map: &VoxelAffine| between_levels(map, self.pair(judged));
        let differ = |map: &VoxelAffine| {
            let explained = compared.explained(&on_level(map));
            explained.by_function - explained.as_is > DIFFERENT
        };
        // A failure by brightness may be that of images that brightness says nothing of.
        let is_one_meaning = |map: &VoxelAffine| !differ(map);
        if by_brightness.as_ref().is_ok_and(is_one_meaning) {
            return by_brightness;
        }
        let Some(found) = self.most_information(device, images, judged, starts)? else {
            return by_brightness;
        };
        match by_brightness {
            Ok(own) if compared.information(&on_level(&own)) >= compared.information(&on_level(&found)) => {
                Ok(own)
            }
            Err(error) if !differ(&found) => Err(error),
            _ => Ok(found),
        }
    }

    /// The map of most information, from the level on that starts are tried on; none if that cannot be told.
    fn most_information(
        &self,
        device: &Device,
        images: &PyramidPair<'_>,
        first: usize,
        starts: [VoxelAffine; 2],
    ) -> Result<Option<VoxelAffine>> {
        let mut found = None;
        for nth in self.used(MOST_READ).filter(|&nth| nth <= first) {
            let pair = self.on_host(device, images, nth)?;
            let levels = self.pair(nth);
            let (Some(compared), Some(turns), Some(group)) =
                (Comparison::new(&pair), self.group(AffineModel::Rigid, nth), self.group(self.model, nth))
            else {
                return Ok(found);
            };
            device.control().check()?;
            let start = match found {
                Some(map) => between_levels(&map, levels),
                None => best_turn(
                    &compared,
                    &turns,
                    starts.map(|map| between_levels(&map, levels)),
                    levels[0].shape,
                ),
            };
            let (map, _) = compared.align(&group, start);
            found = Some(between_grids(&map, levels));
        }
        Ok(found)
    }
}

/// The turn and shift of most information among those that tried turns of the starts lead to.
fn best_turn(
    compared: &Comparison<'_>,
    turns: &MotionGroup,
    starts: [VoxelAffine; 2],
    shape: Shape,
) -> VoxelAffine {
    let centre = shape.size.map(|n| 0.5 * (n as f64 - 1.0));
    let (d, axes) = (shape.components(), if shape.components() == 2 { 1 } else { 3 });
    let count = TRIED_TURNS.len();
    let mut tried = Vec::new();
    for start in starts {
        for nth in 0..count.pow(axes) {
            let angles = (0..axes).map(|axis| TRIED_TURNS[nth / count.pow(axis) % count]);
            let unknowns: Vec<f64> = angles.chain(vec![0.0; d]).collect();
            let map = start.after(&turns.step(&unknowns, centre));
            tried.push((compared.information(&map), map));
        }
    }
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    let followed = tried.into_iter().take(FOLLOWED).map(|(_, map)| compared.align(turns, map));
    let best = followed.max_by(|a, b| a.1.total_cmp(&b.1));
    best.expect("turns should have been tried").0
}

/// How a level of each image's pyramid is aligned.
struct Alignment<'a> {
    levels: [&'a LevelGeometry; 2],
    weight: Option<&'a Buffer>,
    /// The determinant of the level's map where nothing has moved.
    unmoved: f64,
    group: &'a MotionGroup,
}

/// Gauss-Newton on a level; `map` leads from voxels of the full fixed grid to those of the full moving one.
fn align(
    device: &Device,
    way: &Alignment<'_>,
    [fixed, moving]: [&Buffer; 2],
    map: VoxelAffine,
) -> Result<VoxelAffine> {
    let Alignment { levels, weight, unmoved, group } = *way;
    let [shape, moving_shape] = levels.map(|level| level.shape);
    let centre = shape.size.map(|n| 0.5 * (n as f64 - 1.0));
    let zero = device.zeros_field(shape.components(), shape.len())?;
    let mut warped = device.zeros(shape.len())?;
    let start = between_levels(&map, levels);
    let (mut on_level, mut best) = (start, start);
    let mut least = f64::INFINITY;
    for _ in 0..STEPS {
        let warp = Warp {
            shape,
            moving_shape,
            spacing_edges: levels[0].spacing_edges,
            interpolation: Interpolation::Linear,
            border: Border::Centres,
            cut: None,
            moving_from_fixed: on_level,
            moving,
            displacement: &zero,
            out: &mut warped,
        };
        warp.run(device)?;
        let equations = AffineNormalEquations { shape, centre, zeta: ZETA, fixed, warped: &warped, weight };
        let equations = equations.run(device)?.get(device)?;
        if equations.mean_energy >= least {
            break;
        }
        (least, best) = (equations.mean_energy, on_level);
        let Some(unknowns) = solve(&group.restricted(&equations)) else { break };
        let step = group.step(&unknowns, centre);
        on_level = on_level.after(&step);
        let det = determinant(&on_level.matrix) / unmoved;
        if !(0.25..=4.0).contains(&det.abs()) {
            let reason = format!("its determinant became {det:.3}");
            return Err(MotionError::Affine { reason });
        }
        let reach = farthest(&step, shape.components(), centre);
        if reach < STEP_TOLERANCE_VOX {
            best = on_level;
            break;
        }
    }
    Ok(between_grids(&best, levels))
}
