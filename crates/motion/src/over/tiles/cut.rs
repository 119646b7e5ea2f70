//! Boxes of images, masks and fields on grids of their own, and slabs.

use crate::error::Result;
use veloxel_core::{Axes, Grid, GridBox, Volume};

/// A box of a volume, on a grid of its own.
pub(super) fn part_of<T: Copy>(part: GridBox, volume: &Volume<T>, grid: &Grid) -> Result<Volume<T>> {
    Ok(Volume::new(grid.clone(), part.of(volume.data(), volume.grid().size()))?)
}

/// The grid of a box of so many voxels of another grid's spacing and axes, its first voxel at `origin_mm`.
pub(super) fn grid_of(part: GridBox, like: &Grid, origin_mm: Axes<f64>) -> Result<Grid> {
    resized(like, part.size, like.spacing_mm(), origin_mm)
}

/// A box of a size in slabs along an axis; and the same with `margin` voxels more on either side.
pub(super) fn slabs(
    size: Axes<usize>,
    axis: usize,
    thickness: usize,
    margin: usize,
) -> impl Iterator<Item = (GridBox, GridBox)> {
    (0..size[axis]).step_by(thickness).map(move |begin| {
        let slab = |begin: usize, end: usize| {
            let mut part = GridBox::all(size);
            (part.begin[axis], part.size[axis]) = (begin, end - begin);
            part
        };
        let end = (begin + thickness).min(size[axis]);
        (slab(begin, end), slab(begin.saturating_sub(margin), (end + margin).min(size[axis])))
    })
}

/// A grid along another one's axes.
pub(super) fn resized(
    like: &Grid,
    [nx, ny, nz]: Axes<usize>,
    spacing_mm: Axes<f64>,
    origin_mm: Axes<f64>,
) -> Result<Grid> {
    let grid = match like.dimension() {
        veloxel_core::Dimension::Two => Grid::image(nx, ny)?,
        veloxel_core::Dimension::Three => Grid::volume(nx, ny, nz)?,
    };
    Ok(grid.with_spacing_mm(spacing_mm)?.with_direction(like.direction())?.with_origin_mm(origin_mm))
}
