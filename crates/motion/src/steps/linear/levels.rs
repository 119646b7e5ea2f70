//! The levels of both images' pyramids on which a linear map is found, and the map by brightness.

use crate::error::{MotionError, Result};
use crate::steps::frame::{Frame, FrameSource};
use crate::steps::intensity::IntensityMap;
use crate::steps::linear::information::LevelPair;
use crate::steps::linear::motion_group::{AffineModel, MotionGroup, farthest, solve};
use crate::steps::pyramid::{LevelGeometry, between_grids, between_levels, match_voxel_size, pyramid};
use veloxel_core::matrix3::determinant;
use veloxel_core::{Grid, Shape};
use veloxel_gpu::{Buffer, Device, Field};
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

impl Levels<'_> {
    /// From the coarsest to the finest level of at most so many voxels.
    pub(super) fn used(&self, most_voxels: usize) -> impl Iterator<Item = usize> {
        let is_used = move |nth: &usize| self.all[*nth].shape.len() <= most_voxels;
        (0..self.all.len()).rev().take_while(is_used)
    }

    pub(super) fn pair(&self, nth: usize) -> [&LevelGeometry; 2] {
        [&self.all[nth], &self.all_moving[nth]]
    }

    pub(super) fn group(&self, model: AffineModel, nth: usize) -> Option<MotionGroup> {
        MotionGroup::of(model, self.grid, self.all[nth].spacing_vox)
    }

    /// The map by which the moving image looks like the fixed one, from a map between the full grids.
    pub fn by_brightness(
        &self,
        device: &Device,
        images: &PyramidPair<'_>,
        start: VoxelAffine,
    ) -> Result<VoxelAffine> {
        let mut found = start;
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
    pub(super) fn on_host(&self, device: &Device, images: &PyramidPair<'_>, nth: usize) -> Result<LevelPair> {
        Ok(LevelPair {
            fixed: device.read(&images.fixed[nth])?,
            moving: device.read(&images.moving[nth])?,
            shapes: self.pair(nth).map(|level| level.shape),
            weight: images.mask.map(|mask| device.read(&mask[nth])).transpose()?,
        })
    }
}

/// How a level of each image's pyramid is aligned.
struct Alignment<'a> {
    levels: [&'a LevelGeometry; 2],
    weight: Option<&'a Buffer>,
    /// The determinant of the level's map where nothing has moved.
    unmoved: f64,
    group: &'a MotionGroup,
}

/// A level of the moving image as that of the fixed one sees it through linear maps.
pub(super) struct SeenThrough<'a> {
    levels: [&'a LevelGeometry; 2],
    interpolation: Interpolation,
    zero: Field,
    out: Buffer,
}

impl<'a> SeenThrough<'a> {
    /// Samples are interpolated so.
    pub fn new(
        device: &Device,
        levels: [&'a LevelGeometry; 2],
        interpolation: Interpolation,
    ) -> Result<Self> {
        let shape = levels[0].shape;
        let zero = device.zeros_field(shape.components(), shape.len())?;
        Ok(Self { levels, interpolation, zero, out: device.zeros(shape.len())? })
    }

    /// The moving image at `map`, which leads from voxels of the fixed level to those of the moving one; NaN outside.
    pub fn of(&mut self, device: &Device, moving: &Buffer, map: VoxelAffine) -> Result<&Buffer> {
        let [fixed, own] = self.levels;
        let warp = Warp {
            shape: fixed.shape,
            moving_shape: own.shape,
            spacing_edges: fixed.spacing_edges,
            interpolation: self.interpolation,
            border: Border::Centres,
            cut: None,
            moving_from_fixed: map,
            moving,
            displacement: &self.zero,
            out: &mut self.out,
        };
        warp.run(device)?;
        Ok(&self.out)
    }
}

/// An image as levels of its pyramid are made of it, by a map of its intensities; the finest level first.
pub(super) fn pyramid_of(frame: &Frame, map: IntensityMap, levels: &[LevelGeometry]) -> Result<Vec<Buffer>> {
    let (device, own) = (frame.device(), Shape::of(frame.grid()));
    let mapped = FrameSource::from(frame).mapped(map)?;
    let mapped = match_voxel_size(device, mapped, own, levels[0].shape)?;
    Ok(pyramid(device, mapped, levels)?)
}

/// Gauss-Newton on a level; `map` leads from voxels of the full fixed grid to those of the full moving one.
fn align(
    device: &Device,
    way: &Alignment<'_>,
    [fixed, moving]: [&Buffer; 2],
    map: VoxelAffine,
) -> Result<VoxelAffine> {
    let Alignment { levels, weight, unmoved, group } = *way;
    let shape = levels[0].shape;
    let centre = shape.size.map(|n| 0.5 * (n as f64 - 1.0));
    let mut seen = SeenThrough::new(device, levels, Interpolation::Linear)?;
    let start = between_levels(&map, levels);
    let (mut on_level, mut best) = (start, start);
    let mut least = f64::INFINITY;
    for _ in 0..STEPS {
        let warped = seen.of(device, moving, on_level)?;
        let equations = AffineNormalEquations { shape, centre, zeta: ZETA, fixed, warped, weight };
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
