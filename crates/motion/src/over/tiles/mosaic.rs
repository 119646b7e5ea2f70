//! The flow of the whole grid, made of what tiles contribute; where two meet, one fades into the other.

use super::plan::RAMP_VOX;
use crate::error::Result;
use crate::method::pending_flow::DenseFlow;
use crate::over::sample_memory::SampleMemory;
use veloxel_core::{Axes, Flow, Grid, GridBox, Volume};

/// What a tile contributes: voxels `begin..end` along each axis, in full but for a ramp at either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Core {
    pub begin: Axes<usize>,
    pub end: Axes<usize>,
}

impl Core {
    /// The core of these voxels.
    pub fn of(own: GridBox) -> Self {
        Self { begin: own.begin, end: own.end() }
    }

    /// Its own voxels.
    pub fn own(&self) -> GridBox {
        GridBox { begin: self.begin, size: [0, 1, 2].map(|a| self.end[a] - self.begin[a]) }
    }

    /// Its own voxels, as a part of its tile.
    pub fn inside(&self, tile: GridBox) -> GridBox {
        self.own().within(&tile)
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
    pub fn reach(&self, whole: Axes<usize>) -> GridBox {
        let begin = self.begin.map(|b| b.saturating_sub(RAMP_VOX));
        let end = [0, 1, 2].map(|a| if self.end[a] == whole[a] { whole[a] } else { self.end[a] + RAMP_VOX });
        let end = [0, 1, 2].map(|a| end[a].min(whole[a]));
        GridBox { begin, size: [0, 1, 2].map(|a| end[a] - begin[a]) }
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

impl TileSeams {
    /// The seams of two boxes together.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        let count = self.count + other.count;
        let sum = self.count as f64 * self.mean_vox + other.count as f64 * other.mean_vox;
        let max_vox = self.max_vox.max(other.max_vox);
        Self { count, mean_vox: sum / count.max(1) as f64, max_vox }
    }
}

/// A box of a flow.
#[derive(Debug, Clone)]
pub struct FlowPart {
    /// Which voxels.
    pub part: GridBox,
    /// A component for each axis, voxels, x fastest.
    pub components_vox: Vec<Vec<f32>>,
    /// In [0, 1].
    pub confidence: Vec<f32>,
    /// How tiles agree that meet there.
    pub seams: TileSeams,
}

impl FlowPart {
    /// Gives the memory of its samples back.
    pub fn give_back(self, memory: &mut SampleMemory) {
        self.components_vox
            .into_iter()
            .chain([self.confidence])
            .for_each(|samples| memory.give_back(samples));
    }
}

/// Samples of a tile in a box: a slice a component, voxels, and the confidence.
pub(super) struct TileSamples<'a> {
    /// Where they lie in the whole grid.
    pub of: GridBox,
    pub components: &'a [&'a [f32]],
    pub confidence: &'a [f32],
    /// What is added to the components.
    pub shift: Axes<f32>,
}

/// Flow and confidence of a box of the grid, as far as tiles are there.
pub(super) struct Mosaic {
    whole: Axes<usize>,
    part: GridBox,
    /// Where seams are measured.
    measured: GridBox,
    flow: Vec<Vec<f32>>,
    confidence: Vec<f32>,
    seams: TileSeams,
}

impl Mosaic {
    /// The whole grid, without a tile yet.
    pub fn new(grid: &Grid) -> Self {
        Self::of_part(grid, [GridBox::all(grid.size()); 2], &mut SampleMemory::default())
    }

    /// A box `part` without a tile yet; seams are measured in the box `measured` of it.
    pub fn of_part(grid: &Grid, [measured, part]: [GridBox; 2], memory: &mut SampleMemory) -> Self {
        let mut volume = || memory.zeros(part.len());
        Self {
            whole: grid.size(),
            part,
            measured,
            flow: (0..grid.dimension().count()).map(|_| volume()).collect(),
            confidence: volume(),
            seams: TileSeams::default(),
        }
    }

    /// Adds what was found in a box for a core, `shift` voxels more.
    pub fn add_found(&mut self, core: Core, estimated: GridBox, found: &DenseFlow, shift: Axes<f32>) {
        let components: Vec<&[f32]> = found.flow.components_vox().collect();
        let confidence = found.confidence.data();
        self.add(core, &TileSamples { of: estimated, components: &components, confidence, shift });
    }

    /// Adds what a tile found, as far as its samples are there.
    pub fn add(&mut self, core: Core, tile: &TileSamples<'_>) {
        let reach = core.reach(self.whole);
        let Some(seen) = reach.intersection(&self.part).and_then(|seen| seen.intersection(&tile.of)) else {
            return;
        };
        let shares = [0, 1, 2].map(|a| {
            let first = seen.begin[a] - reach.begin[a];
            core.shares(a, self.whole)[first..first + seen.size[a]].to_vec()
        });
        let [along_x, along_y, along_z] = shares;
        let (to, from) = (seen.within(&self.part), seen.within(&tile.of));
        let full = along_x.iter().position(|share| share.weight == 1.0);
        let full = full.map_or(0..0, |first| {
            first..first + along_x[first..].iter().take_while(|share| share.weight == 1.0).count()
        });
        for (row, (to, from)) in to.rows(self.part.size).zip(from.rows(tile.of.size)).enumerate() {
            let (y, z) = (along_y[row % seen.size[1]], along_z[row / seen.size[1]]);
            // Where no other tile contributes.
            let alone = if y.weight == 1.0 && z.weight == 1.0 { full.clone() } else { 0..0 };
            self.add_alone([to.start, from.start].map(|row| row + alone.start), alone.len(), tile);
            let place = [0, row % seen.size[1], row / seen.size[1]];
            let measured = self.measured;
            let is_measured = |nth: usize| {
                measured.holds([0, 1, 2].map(|a| seen.begin[a] + place[a] + if a == 0 { nth } else { 0 }))
            };
            for nth in (0..alone.start).chain(alone.end..along_x.len()) {
                let (x, to, from) = (&along_x[nth], to.start + nth, from.start + nth);
                let weight = x.weight * y.weight * z.weight;
                let of_others = [*x, y, z].iter().filter(|share| share.weight < 1.0).count();
                let is_seam = of_others == 1
                    && (0.25..0.75).contains(&weight)
                    && [*x, y, z].iter().any(|share| share.after_neighbour);
                let mut apart2 = 0.0;
                for (a, (out, own)) in self.flow.iter_mut().zip(tile.components).enumerate() {
                    let own = own[from] + tile.shift[a];
                    apart2 += f64::from(out[to] / (1.0 - weight).max(f32::MIN_POSITIVE) - own).powi(2);
                    out[to] += weight * own;
                }
                self.confidence[to] += weight * tile.confidence[from];
                if is_seam && is_measured(nth) {
                    self.seams.count += 1;
                    self.seams.mean_vox += apart2.sqrt();
                    self.seams.max_vox = self.seams.max_vox.max(apart2.sqrt());
                }
            }
        }
    }

    /// Adds so many samples of a row that are this tile's alone, from a place of the part and one of the tile on.
    fn add_alone(&mut self, [to, from]: [usize; 2], count: usize, tile: &TileSamples<'_>) {
        for (a, (out, own)) in self.flow.iter_mut().zip(tile.components).enumerate() {
            let places = out[to..to + count].iter_mut().zip(&own[from..from + count]);
            places.for_each(|(out, own)| *out += own + tile.shift[a]);
        }
        let places = self.confidence[to..to + count].iter_mut().zip(&tile.confidence[from..from + count]);
        places.for_each(|(out, own)| *out += own);
    }

    /// What all tiles found, and how they agree.
    pub fn finish(self, grid: &Grid) -> Result<(Flow, Volume<f32>, TileSeams)> {
        let FlowPart { components_vox, confidence, seams, .. } = self.into_part();
        Ok((Flow::new(grid.clone(), components_vox)?, Volume::new(grid.clone(), confidence)?, seams))
    }

    /// What tiles found in the box, and how they agree.
    pub fn into_part(self) -> FlowPart {
        let Self { part, flow: components_vox, confidence, mut seams, .. } = self;
        seams.mean_vox /= seams.count.max(1) as f64;
        FlowPart { part, components_vox, confidence, seams }
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

    #[test]
    fn boxes_are_those_of_the_whole() {
        let grid = Grid::volume(70, 40, 30).unwrap();
        let all = Core { begin: [0; 3], end: grid.size() };
        let [left, right] = all.halves(0);
        let (mut whole, part) = (Mosaic::new(&grid), GridBox { begin: [20, 5, 3], size: [31, 20, 9] });
        let mut own = Mosaic::of_part(&grid, [part; 2], &mut SampleMemory::default());
        for (nth, core) in [left, right].into_iter().enumerate() {
            let of = core.reach(grid.size());
            let plane =
                |k: usize| (0..of.len()).map(|i| ((i * (3 + k) + nth) % 17) as f32).collect::<Vec<_>>();
            let planes = [0, 1, 2, 3].map(plane);
            let components: Vec<&[f32]> = planes[..3].iter().map(Vec::as_slice).collect();
            let tile = TileSamples { of, components: &components, confidence: &planes[3], shift: [1.0; 3] };
            whole.add(core, &tile);
            own.add(core, &tile);
        }
        let (whole, own) = (whole.into_part(), own.into_part());
        for (whole, own) in whole.components_vox.iter().zip(&own.components_vox) {
            assert_eq!(part.of(whole, grid.size()), *own);
        }
        assert_eq!(part.of(&whole.confidence, grid.size()), own.confidence);
        assert!(own.seams.count > 0 && own.seams.count < whole.seams.count);
    }
}
