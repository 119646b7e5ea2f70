//! The images of every lattice: mapped, smoothed, at its size, the moving one as spline coefficients.

use super::parameters::FiniteElementsParams;
use super::plan::Plan;
use crate::MotionError;
use crate::buffers::copied;
use crate::image_pyramids::{normalise_locally, presmoothed};
use crate::intensity::IntensityMap;
use crate::method::ImagePair;
use crate::moving_image::{MovingImage, voxel_map};
use crate::pyramid::{LevelGeometry, between_levels, levels, match_voxel_size, moving_levels, shrink};
use crate::resident::{Region, ResidentStart};
use veloxel_core::{Axes, Grid, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::elements::residual::ElementImages;
use veloxel_kernels::image::pointwise::Multiply;
use veloxel_kernels::image::spline::SplineCoefficients;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine};

/// The images of one lattice.
#[derive(Debug)]
pub(super) struct LevelImages {
    fixed: Buffer,
    moving: Buffer,
    weight: Option<Buffer>,
    /// Of the moving image of one problem.
    moving_shape: Shape,
    moving_from_fixed: VoxelAffine,
    per_edge: Axes<f32>,
    gain: f32,
}

impl LevelImages {
    pub fn view(&self) -> ElementImages<'_> {
        ElementImages {
            fixed: &self.fixed,
            moving: &self.moving,
            weight: self.weight.as_ref(),
            moving_shape: self.moving_shape,
            moving_from_fixed: self.moving_from_fixed,
            per_edge: self.per_edge,
            gain: self.gain,
        }
    }
    /// The same against another fixed image with its own weights.
    pub fn against<'a>(&'a self, fixed: &'a Buffer, weight: Option<&'a Buffer>) -> ElementImages<'a> {
        ElementImages { fixed, weight, ..self.view() }
    }
    /// The fixed image alone.
    pub fn fixed(&self) -> &Buffer {
        &self.fixed
    }
    /// The square of what residuals are multiplied by.
    pub fn gain2(&self) -> f32 {
        self.gain * self.gain
    }
}

/// The images of the `used` finest lattices, finest first.
pub(super) fn images(
    device: &Device,
    params: &FiniteElementsParams,
    plan: &Plan,
    pair: ImagePair<'_>,
    map: IntensityMap,
    used: usize,
) -> Result<Vec<LevelImages>, MotionError> {
    let ImagePair { fixed, moving, region, start } = pair;
    let (grid, moving_grid) = (fixed.frame().grid().clone(), moving.frame().grid().clone());
    let placement = voxel_map(&grid, &moving_grid).after(&start.affine());
    let stacks: Vec<Shape> = plan.levels[..used].iter().map(|level| level.stack).collect();
    let is_stack = plan.levels[0].lattice.problems > 1 || stacks[0] != Shape::of(&grid);
    let (moving, moving_grid, placement) = match is_stack && placement != VoxelAffine::IDENTITY {
        // Slices are compared with slices.
        true => {
            let there = seen_from(device, moving.frame(), &moving_grid, &grid, start)?;
            (crate::FrameSource::Owned(there), grid.clone(), VoxelAffine::IDENTITY)
        }
        false => (moving, moving_grid, placement),
    };
    let (fixed, moving) = (fixed.mapped(map)?, moving.mapped(map)?);
    let weights = weight_of(device, region)?.map(|weight| pyramid(device, weight, &stacks)).transpose()?;
    let smooth = |image: Buffer, shape: Shape| presmoothed(device, params.presmooth, image, shape);
    let (moving, placements) = match is_stack {
        true => (pyramid(device, smooth(moving, stacks[0])?, &stacks)?, None),
        false => {
            let own = grid_levels(&grid, params, used);
            let sizes = moving_levels(&moving_grid, &placement, &own);
            let raw = match_voxel_size(device, moving, Shape::of(&moving_grid), sizes[0].shape)?;
            let shapes: Vec<Shape> = sizes.iter().map(|level| level.shape).collect();
            (pyramid(device, smooth(raw, shapes[0])?, &shapes)?, Some((own, sizes)))
        }
    };
    let fixed = pyramid(device, smooth(fixed, stacks[0])?, &stacks)?;
    let mut weights = weights.map(Vec::into_iter);
    let mut out = Vec::new();
    for (nth, (mut fixed, mut moving)) in fixed.into_iter().zip(moving).enumerate() {
        let level = &plan.levels[nth];
        let moving_shape = placements.as_ref().map_or(stacks[nth], |(_, sizes)| sizes[nth].shape);
        normalise_locally(device, params.lcc_sigma, stacks[nth], &mut fixed)?;
        normalise_locally(device, params.lcc_sigma, moving_shape, &mut moving)?;
        SplineCoefficients { shape: moving_shape, samples: &mut moving }.run(device)?;
        let moving_from_fixed = match &placements {
            Some((own, sizes)) => between_levels(&placement, [&own[nth], &sizes[nth]]),
            None => VoxelAffine::IDENTITY,
        };
        out.push(LevelImages {
            fixed,
            moving,
            weight: weights.as_mut().and_then(Iterator::next),
            moving_shape: if is_stack { level.lattice.shape } else { moving_shape },
            moving_from_fixed,
            per_edge: level.per_edge,
            gain: level.voxels.sqrt() as f32,
        });
    }
    Ok(out)
}

/// The sizes of the fixed images; where there are more lattices than sizes, the last one again.
fn grid_levels(grid: &Grid, params: &FiniteElementsParams, used: usize) -> Vec<LevelGeometry> {
    let mut own = levels(grid, 0.5, params.lattices);
    let last = own[own.len() - 1].clone();
    own.resize(own.len().max(used), last);
    own.truncate(used);
    own
}

/// The moving image on the fixed grid, as an affine start has it.
fn seen_from(
    device: &Device,
    moving: &crate::Frame,
    moving_grid: &Grid,
    grid: &Grid,
    start: ResidentStart<'_>,
) -> Result<crate::Frame, MotionError> {
    let seen = MovingImage::new(device, moving.samples(), moving_grid, grid, Interpolation::Linear)?;
    let samples = seen.through(start.affine()).at_rest(Border::Unbounded)?;
    crate::Frame::of_samples(device, grid, samples)
}

/// An image at every size, finest first.
fn pyramid(device: &Device, image: Buffer, shapes: &[Shape]) -> Result<Vec<Buffer>, ComputeError> {
    let mut out = vec![image];
    for pair in shapes.windows(2) {
        let finer = &out[out.len() - 1];
        let stays = pair[0] == pair[1];
        out.push(if stays { copied(device, finer) } else { shrink(device, finer, pair[0], pair[1]) }?);
    }
    Ok(out)
}

/// How much a pair's data count: the weight image within the mask; none: all alike.
pub(super) fn weight_of(device: &Device, region: Region<'_>) -> Result<Option<Buffer>, MotionError> {
    let Some(first) = region.weight.or(region.mask) else { return Ok(None) };
    let mut weight = copied(device, &first.weight)?;
    if let (Some(_), Some(mask)) = (region.weight, region.mask) {
        Multiply { factor: &mask.weight, out: &mut weight }.run(device)?;
    }
    Ok(Some(weight))
}
