//! The flow of the whole grid, made of what tiles contribute; where two meet, one fades into the other.

use super::cut::TilePart;
use super::plan::RAMP_VOX;
use crate::error::Result;
use crate::method::pending_flow::DenseFlow;
use veloxel_core::{Axes, Flow, Grid, Volume};

/// What a tile contributes: voxels `begin..end` along each axis, in full but for a ramp at either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Core {
    pub begin: Axes<usize>,
    pub end: Axes<usize>,
}

impl Core {
    /// Its own voxels, as a part of its tile.
    pub fn inside(&self, tile: TilePart) -> TilePart {
        let begin = [0, 1, 2].map(|a| self.begin[a] - tile.begin[a]);
        TilePart { begin, size: [0, 1, 2].map(|a| self.end[a] - self.begin[a]) }
    }

    /// The longest axis, if it has so many voxels.
    pub(crate) fn longest_axis(&self, least: usize) -> Option<usize> {
        let length = |a: &usize| self.end[*a] - self.begin[*a];
        (0..3).filter(|a| length(a) >= least).max_by_key(length)
    }

    /// Works through a core. If `work` returns an axis, the core is halved along it, and `work` is called for the halves, which
    /// it may halve again.
    pub(crate) fn in_pieces(self, mut work: impl FnMut(Self) -> Result<Option<usize>>) -> Result<()> {
        let mut cores = vec![self];
        while let Some(core) = cores.pop() {
            if let Some(axis) = work(core)? {
                let [first, second] = core.halves(axis);
                cores.extend([second, first]);
            }
        }
        Ok(())
    }

    /// In two along an axis.
    fn halves(self, axis: usize) -> [Self; 2] {
        let (mut first, mut second) = (self, self);
        first.end[axis] = (self.begin[axis] + self.end[axis]) / 2;
        second.begin[axis] = first.end[axis];
        [first, second]
    }

    /// The voxels that it contributes to, ramps included.
    pub fn reach(&self, whole: Axes<usize>) -> TilePart {
        let begin = self.begin.map(|b| b.saturating_sub(RAMP_VOX));
        let end = [0, 1, 2].map(|a| if self.end[a] == whole[a] { whole[a] } else { self.end[a] + RAMP_VOX });
        let end = [0, 1, 2].map(|a| end[a].min(whole[a]));
        TilePart { begin, size: [0, 1, 2].map(|a| end[a] - begin[a]) }
    }

    /// Its share at each voxel of its reach along an axis; those of neighbours add up to 1.
    fn shares(&self, axis: usize, whole: Axes<usize>) -> Vec<Share> {
        let rising = |x: usize, boundary: usize| {
            let ramp = 2.0 * RAMP_VOX as f32;
            ((x + RAMP_VOX) as f32 - boundary as f32 + 0.5).clamp(0.0, ramp) / ramp
        };
        let reach = self.reach(whole);
        let share = |x: usize| {
            let up = if self.begin[axis] == 0 { 1.0 } else { rising(x, self.begin[axis]) };
            let down = if self.end[axis] == whole[axis] { 1.0 } else { 1.0 - rising(x, self.end[axis]) };
            Share { weight: up * down, after_neighbour: up < 1.0 }
        };
        (reach.begin[axis]..reach.begin[axis] + reach.size[axis]).map(share).collect()
    }
}

/// How much of a voxel a tile says.
#[derive(Clone, Copy)]
struct Share {
    weight: f32,
    /// Whether a tile that came before says the rest.
    after_neighbour: bool,
}

/// How far neighbouring tiles differ in the middle between them, voxels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TileSeams {
    /// Voxels compared.
    pub count: usize,
    /// Mean length of the difference.
    pub mean_vox: f64,
    /// The longest.
    pub max_vox: f64,
}

/// Flow and confidence of the whole grid, as far as tiles are there.
pub(super) struct Mosaic {
    size: Axes<usize>,
    flow: Vec<Vec<f32>>,
    confidence: Vec<f32>,
    seams: TileSeams,
}

impl Mosaic {
    pub fn new(grid: &Grid) -> Self {
        let volume = || vec![0.0; grid.len()];
        Self {
            size: grid.size(),
            flow: (0..grid.dimension().count()).map(|_| volume()).collect(),
            confidence: volume(),
            seams: TileSeams::default(),
        }
    }

    /// Adds what a tile found in its box, `shift` voxels more.
    pub fn add(&mut self, core: Core, tile: TilePart, found: &DenseFlow, shift: Axes<f32>) {
        let reach = core.reach(self.size);
        let [along_x, along_y, along_z] = [0, 1, 2].map(|a| core.shares(a, self.size));
        let inner = TilePart { begin: [0, 1, 2].map(|a| reach.begin[a] - tile.begin[a]), size: reach.size };
        let components: Vec<&[f32]> = found.flow.components_vox().collect();
        for (row, (to, from)) in reach.rows(self.size).zip(inner.rows(tile.size)).enumerate() {
            let (y, z) = (along_y[row % reach.size[1]], along_z[row / reach.size[1]]);
            for (x, (to, from)) in along_x.iter().zip(to.zip(from)) {
                let weight = x.weight * y.weight * z.weight;
                let of_others = [*x, y, z].iter().filter(|share| share.weight < 1.0).count();
                let is_seam = of_others == 1
                    && (0.25..0.75).contains(&weight)
                    && [*x, y, z].iter().any(|share| share.after_neighbour);
                let mut apart2 = 0.0;
                for (a, (out, own)) in self.flow.iter_mut().zip(&components).enumerate() {
                    let own = own[from] + shift[a];
                    apart2 += f64::from(out[to] / (1.0 - weight).max(f32::MIN_POSITIVE) - own).powi(2);
                    out[to] += weight * own;
                }
                self.confidence[to] += weight * found.confidence.data()[from];
                if is_seam {
                    self.seams.count += 1;
                    self.seams.mean_vox += apart2.sqrt();
                    self.seams.max_vox = self.seams.max_vox.max(apart2.sqrt());
                }
            }
        }
    }

    /// What all tiles found, and how they agree.
    pub fn finish(self, grid: &Grid) -> Result<(Flow, Volume<f32>, TileSeams)> {
        let Self { flow, confidence, mut seams, .. } = self;
        seams.mean_vox /= seams.count.max(1) as f64;
        Ok((Flow::new(grid.clone(), flow)?, Volume::new(grid.clone(), confidence)?, seams))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_neighbours_add_up_to_one() {
        let whole = [100, 60, 1];
        let all = Core { begin: [0; 3], end: whole };
        let [left, right] = all.halves(0);
        let [upper, lower] = right.halves(1);
        let mut sums = vec![0.0; 6000];
        for core in [left, upper, lower] {
            let [x, y, _] = [0, 1, 2].map(|a| core.shares(a, whole));
            for (row, range) in core.reach(whole).rows(whole).enumerate() {
                range.zip(&x).for_each(|(i, share)| sums[i] += share.weight * y[row].weight);
            }
        }
        assert!(sums.iter().all(|sum| (sum - 1.0f32).abs() < 1e-6));
    }
}
