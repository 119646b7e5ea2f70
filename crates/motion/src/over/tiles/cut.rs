//! Boxes of images, masks and fields.

use crate::error::Result;
use veloxel_core::{Axes, Grid, Volume};

/// Voxels `begin..begin + size` of a grid along each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TilePart {
    pub begin: Axes<usize>,
    pub size: Axes<usize>,
}

impl TilePart {
    /// Voxels.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    /// Rows along x, as ranges of a volume's samples.
    pub fn rows(&self, whole: Axes<usize>) -> impl Iterator<Item = std::ops::Range<usize>> {
        let Self { begin, size } = *self;
        (0..size[1] * size[2]).map(move |row| {
            let [y, z] = [begin[1] + row % size[1], begin[2] + row / size[1]];
            let first = (z * whole[1] + y) * whole[0] + begin[0];
            first..first + size[0]
        })
    }

    /// The samples in it.
    pub fn of<T: Copy>(&self, samples: &[T], whole: Axes<usize>) -> Vec<T> {
        let mut out = Vec::with_capacity(self.len());
        self.rows(whole).for_each(|row| out.extend_from_slice(&samples[row]));
        out
    }

    /// Copies it, as a part of a whole of one size, from a part of `samples`, of another.
    pub(crate) fn copy_from(
        &self,
        whole: Axes<usize>,
        out: &mut [f32],
        from: Self,
        size: Axes<usize>,
        samples: &[f32],
    ) {
        for (to, from) in self.rows(whole).zip(from.rows(size)) {
            out[to].copy_from_slice(&samples[from]);
        }
    }

    /// This part of a volume, on a grid of its own.
    pub(crate) fn of_volume<T: Copy>(&self, volume: &Volume<T>, grid: &Grid) -> Result<Volume<T>> {
        Ok(Volume::new(grid.clone(), self.of(volume.data(), volume.grid().size()))?)
    }

    /// The grid of so many voxels of another one's spacing and axes, its first voxel at `origin_mm`.
    pub fn grid(&self, like: &Grid, origin_mm: Axes<f64>) -> Result<Grid> {
        resized(like, self.size, like.spacing_mm(), origin_mm)
    }
}

/// A box of a size in slabs along an axis; and the same with `margin` voxels more on either side.
pub(super) fn slabs(
    size: Axes<usize>,
    axis: usize,
    thickness: usize,
    margin: usize,
) -> impl Iterator<Item = (TilePart, TilePart)> {
    (0..size[axis]).step_by(thickness).map(move |begin| {
        let slab = |begin: usize, end: usize| {
            let mut part = TilePart { begin: [0; 3], size };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_holds_its_rows() {
        let volume = Volume::from_fn(Grid::volume(4, 3, 2).unwrap(), |[x, y, z]| 100 * z + 10 * y + x);
        let part = TilePart { begin: [1, 1, 0], size: [2, 2, 2] };
        assert_eq!(part.of(volume.data(), [4, 3, 2]), [11, 12, 21, 22, 111, 112, 121, 122]);
    }
}
