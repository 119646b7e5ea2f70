//! The images of every lattice: mapped, smoothed, at its size, the moving one as spline coefficients.

use super::parameters::FiniteElementsParams;
use super::plan::Plan;
use crate::error::Result;
use crate::method::pair::ImagePair;
use crate::steps::buffers::copied;
use crate::steps::frame::Frame;
use crate::steps::image_pyramids::{normalise_locally, presmoothed};
use crate::steps::intensity::IntensityMap;
use crate::steps::moving_image::{FinerImage, MovingImage, voxel_map};
use crate::steps::pyramid::{LevelGeometry, between_levels, levels, match_voxel_size, moving_levels, shrink};
use veloxel_core::{Axes, Grid, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::elements::residual::ElementImages;
use veloxel_kernels::image::spline::SplineCoefficients;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine};

/// The images of one lattice.
#[derive(Debug)]
pub(super) struct LevelImages {
    pub fixed: Buffer,
    moving: Buffer,
    weight: Option<Buffer>,
    /// Shape of the moving image of one problem.
    moving_shape: Shape,
    moving_from_fixed: VoxelAffine,
    per_edge: Axes<f32>,
    /// What residuals are multiplied by.
    pub gain: f32,
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
}

/// The images of the `used` finest lattices, finest first.
pub(super) fn images(
    device: &Device,
    params: &FiniteElementsParams,
    plan: &Plan,
    pair: ImagePair<'_>,
    map: IntensityMap,
    used: usize,
) -> Result<Vec<LevelImages>> {
    let ImagePair { fixed, moving, region, start } = pair;
    let (grid, moving_grid) = (fixed.frame().grid().clone(), moving.frame().grid().clone());
    let placement = voxel_map(&grid, &moving_grid).after(&start.affine());
    let stacks: Vec<Shape> = plan.levels[..used].iter().map(|level| level.stack).collect();
    let is_stack = plan.levels[0].lattice.problems > 1 || stacks[0] != Shape::of(&grid);
    let (moving, moving_grid, placement) = match is_stack && placement != VoxelAffine::IDENTITY {
        // Slices are compared with slices.
        true => {
            let (samples, kind, finer) =
                (moving.frame().samples(), Interpolation::Linear, FinerImage::Smoothed);
            let seen = MovingImage::new(device, samples, &moving_grid, &grid, kind, finer)?;
            let there = seen.through(start.affine()).at_rest(Border::Unbounded)?;
            (Frame::of_samples(device, &grid, there)?.into(), grid.clone(), VoxelAffine::IDENTITY)
        }
        false => (moving, moving_grid, placement),
    };
    let (fixed, moving) = (fixed.mapped(map)?, moving.mapped(map)?);
    let weights = region.counting(device)?.map(|weight| pyramid(device, weight, &stacks)).transpose()?;
    let smooth = |image: Buffer, shape: Shape| presmoothed(device, params.presmooth, image, shape);
    let (moving, moving_shapes, maps) = match is_stack {
        true => (moving, stacks.clone(), vec![VoxelAffine::IDENTITY; used]),
        false => {
            let own = grid_levels(&grid, params, used);
            let sizes = moving_levels(&moving_grid, &placement, &own);
            let maps = own.iter().zip(&sizes).map(|(own, size)| between_levels(&placement, [own, size]));
            let moving = match_voxel_size(device, moving, Shape::of(&moving_grid), sizes[0].shape)?;
            (moving, sizes.iter().map(|level| level.shape).collect(), maps.collect())
        }
    };
    let moving = pyramid(device, smooth(moving, moving_shapes[0])?, &moving_shapes)?;
    let fixed = pyramid(device, smooth(fixed, stacks[0])?, &stacks)?;
    let mut weights = weights.into_iter().flatten();
    let mut out = Vec::new();
    for (nth, (mut fixed, mut moving)) in fixed.into_iter().zip(moving).enumerate() {
        let (level, moving_shape) = (&plan.levels[nth], moving_shapes[nth]);
        normalise_locally(device, params.lcc_sigma, stacks[nth], &mut fixed)?;
        normalise_locally(device, params.lcc_sigma, moving_shape, &mut moving)?;
        SplineCoefficients { shape: moving_shape, samples: &mut moving }.run(device)?;
        out.push(LevelImages {
            fixed,
            moving,
            weight: weights.next(),
            moving_shape: if is_stack { level.lattice.shape } else { moving_shape },
            moving_from_fixed: maps[nth],
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
