//! The part of the moving image that a tile can reach.

use super::SAMPLING_VOX;
use super::cut::grid_of;
use super::plan::ALIGNMENT_VOX;
use super::source::{BoxedPair, ImageBoxes, volume_of};
use crate::error::Result;
use crate::steps::moving_image::voxel_map;
use veloxel_core::{Axes, Dimension, Grid, GridBox, Volume};
use veloxel_kernels::image::warp::VoxelAffine;

/// The moving image, and where it lies.
pub(super) struct Moving<'a> {
    image: &'a dyn ImageBoxes,
    fixed: &'a Grid,
    /// The grid that every tile of the fixed image is put on.
    local: Grid,
    /// From voxels of the fixed grid; the identity if both images lie on one.
    moving_from_fixed: VoxelAffine,
}

impl<'a> Moving<'a> {
    pub fn new(pair: &BoxedPair<'a>, local: &Grid) -> Self {
        Self { local: local.clone(), ..Self::on(pair.moving, pair.fixed.grid()) }
    }

    /// An image as parts of a fixed grid reach it.
    pub fn on(image: &'a dyn ImageBoxes, fixed: &'a Grid) -> Self {
        Self { image, fixed, local: fixed.clone(), moving_from_fixed: voxel_map(fixed, image.grid()) }
    }

    /// Whether both images lie on one grid.
    pub(crate) fn is_on_one_grid(&self) -> bool {
        self.moving_from_fixed == VoxelAffine::IDENTITY
    }

    /// By how many voxels a tile's moving image is shifted, so that it holds all that the tile's `core` is sent to by its
    /// start, of which one component at a time is asked for: near the mean motion, as far as the image goes. None if the tile is
    /// too small for that; nothing is shifted on two grids.
    pub fn shift(
        &self,
        core: GridBox,
        tile: GridBox,
        start: impl Fn(usize) -> Vec<f32>,
    ) -> Option<Axes<isize>> {
        let mut shift = [0; 3];
        if !self.is_on_one_grid() {
            return Some(shift);
        }
        let size = self.image.grid().size();
        for a in 0..self.fixed.dimension().count() {
            let component = start(a);
            // Of the tile's first voxel.
            let (mut least, mut most, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
            for (row, range) in core.rows(tile.size).enumerate() {
                let across = [row % core.size[1] + core.begin[1], row / core.size[1] + core.begin[2]];
                for (x, &v) in component[range].iter().enumerate() {
                    let at = [x + core.begin[0], across[0], across[1]][a] as f64 + f64::from(v);
                    (least, most, sum) = (least.min(at), most.max(at), sum + f64::from(v));
                }
            }
            let (begin, margin) = (tile.begin[a] as f64, SAMPLING_VOX as f64);
            let end = (size[a] - tile.size[a]) as f64 - begin;
            // What lies beyond the image is nowhere.
            let low = (most + margin + 1.0).min(size[a] as f64 - begin) - tile.size[a] as f64;
            let high = (least - margin).max(-begin);
            let (low, high) = (low.ceil().clamp(-begin, end), high.floor().clamp(-begin, end));
            if low > high {
                return None;
            }
            let (mean, step) = (sum / core.len() as f64, ALIGNMENT_VOX as f64);
            let aligned = (mean / step).round() * step;
            let is_possible = (low..=high).contains(&aligned);
            shift[a] = if is_possible { aligned } else { mean.round().clamp(low, high) } as isize;
        }
        Some(shift)
    }

    /// The part that a tile reaches from its start, of which one component at a time is asked for, on the tile's grid or, on two
    /// grids, where it lies as seen from that; none if it reaches nothing.
    pub fn of(
        &self,
        tile: GridBox,
        start: impl Fn(usize) -> Vec<f32>,
        shift: Axes<isize>,
    ) -> Result<Option<Volume<f32>>> {
        if self.is_on_one_grid() {
            let begin = [0, 1, 2].map(|a| (tile.begin[a] as isize + shift[a]) as usize);
            return volume_of(self.image, GridBox { begin, ..tile }, &self.local).map(Some);
        }
        let mut ends = [[0.0; 2]; 3];
        (0..self.fixed.dimension().count()).for_each(|a| ends[a] = least_and_most(&start(a)));
        let Some(mut part) = self.reached_by(tile, ends, SAMPLING_VOX) else { return Ok(None) };
        if self.fixed.dimension() == Dimension::Two {
            // Two pictures have one size.
            let size = self.image.grid().size();
            for a in 0..2 {
                let middle = part.begin[a] + part.size[a] / 2;
                part.begin[a] = middle.saturating_sub(tile.size[a] / 2).min(size[a] - tile.size[a]);
            }
            part.size = tile.size;
        }
        // As far from the tile's grid as the part is from the tile.
        let grid = self.image.grid();
        let (corner, own) = (
            self.fixed.world_from_voxel(tile.begin.map(|b| b as f64)),
            grid.world_from_voxel(part.begin.map(|b| b as f64)),
        );
        let origin = [0, 1, 2].map(|a| own[a] - corner[a] + self.local.origin_mm()[a]);
        volume_of(self.image, part, &grid_of(part, grid, origin)?).map(Some)
    }

    /// The box of the moving grid that holds everything that a part's flow leads to, and `margin` voxels around it.
    pub fn reached(&self, part: GridBox, flow: &[Vec<f32>], margin: usize) -> Option<GridBox> {
        let mut ends = [[0.0; 2]; 3];
        flow.iter().zip(&mut ends).for_each(|(component, ends)| *ends = least_and_most(component));
        self.reached_by(part, ends, margin)
    }

    /// The box that holds everything that a flow leads to whose components lie between these ends, voxels, and `margin` voxels around it.
    pub(super) fn reached_by(
        &self,
        part: GridBox,
        flow_ends: [[f32; 2]; 3],
        margin: usize,
    ) -> Option<GridBox> {
        let size = self.image.grid().size();
        let [low, high] = self.ends_of(part, flow_ends);
        let bound = |v: f64, a: usize| v.clamp(0.0, size[a] as f64) as usize;
        let begin = [0, 1, 2].map(|a| bound((low[a] - margin as f64).floor(), a));
        let end = [0, 1, 2].map(|a| bound((high[a] + margin as f64).ceil() + 1.0, a));
        let is_empty = (0..self.fixed.dimension().count()).any(|a| end[a] <= begin[a]);
        (!is_empty).then(|| GridBox { begin, size: [0, 1, 2].map(|a| (end[a] - begin[a]).max(1)) })
    }

    /// That box for an image that has no end: its outermost voxels stand for all beyond.
    pub(super) fn nearest_to(&self, part: GridBox, flow_ends: [[f32; 2]; 3], margin: usize) -> GridBox {
        let size = self.image.grid().size();
        let [low, high] = self.ends_of(part, flow_ends);
        let voxel = |v: f64, a: usize| v.clamp(0.0, (size[a] - 1) as f64) as usize;
        let begin = [0, 1, 2].map(|a| voxel(low[a].floor(), a).saturating_sub(margin));
        let end = [0, 1, 2].map(|a| (voxel(high[a].ceil(), a) + margin + 1).min(size[a]));
        GridBox { begin, size: [0, 1, 2].map(|a| end[a] - begin[a]) }
    }

    /// The least and the largest place along each axis of the image, in voxels, that a part is led to.
    fn ends_of(&self, part: GridBox, flow_ends: [[f32; 2]; 3]) -> [Axes<f64>; 2] {
        let (map, axes) = (self.moving_from_fixed, self.fixed.dimension().count());
        let mut ends = [[0.0; 2]; 3];
        for (a, [least, most]) in flow_ends.into_iter().enumerate().take(axes) {
            let (begin, end) = (part.begin[a] as f64, (part.begin[a] + part.size[a] - 1) as f64);
            ends[a] = [begin + f64::from(least), end + f64::from(most)];
        }
        let corners = (0..1 << axes).map(|c| map.apply([0, 1, 2].map(|a: usize| ends[a][c >> a & 1])));
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in corners {
            for a in 0..3 {
                (low[a], high[a]) = (low[a].min(corner[a]), high[a].max(corner[a]));
            }
        }
        [low, high]
    }
}

/// The ends of an interval that holds 0 and every number of a component.
fn least_and_most(component: &[f32]) -> [f32; 2] {
    component.iter().fold([0.0, 0.0], |[least, most], &v| [v.min(least), v.max(most)])
}
