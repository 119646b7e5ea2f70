//! The surfaces of labels as lists of voxels, and their distances in bands that fit into memory.

use super::counts::CountedLabel;
use super::distance_transform::{Band, VoxelSet, squared_distance_mm2};
use super::label_box::LabelBox;
use crate::distribution::quantile;
use std::ops::Range;
use veloxel_core::{Grid, GridBox, Stopped, Threads, sort};

/// Labels whose surfaces are listed at once, by number.
#[derive(Debug, Clone)]
pub struct SurfaceTurn {
    labels: Vec<CountedLabel>,
    region: GridBox,
}

impl SurfaceTurn {
    /// A turn of one label.
    pub(super) fn of(label: &CountedLabel) -> Self {
        Self { labels: vec![label.clone()], region: label.region.around() }
    }

    /// Takes a further label.
    pub(super) fn take(&mut self, label: &CountedLabel) {
        let (own, other) = (self.region, label.region.around());
        let begin = [0, 1, 2].map(|a| own.begin[a].min(other.begin[a]));
        let size = [0, 1, 2].map(|a| own.end()[a].max(other.end()[a]) - begin[a]);
        self.region = GridBox { begin, size };
        self.labels.push(label.clone());
    }

    /// Samples, of 32 bits, that its lists take; the distances from a label's surface take no more than these.
    pub fn listed_samples(&self) -> usize {
        self.labels.iter().map(CountedLabel::listed_samples).sum()
    }

    /// Where its labels lie: other boxes need not be read.
    pub fn region(&self) -> GridBox {
        self.region
    }

    /// Samples of the smallest band of a box, and of the plane that it is made of.
    pub(super) fn least_band([nx, ny, nz]: [usize; 3]) -> usize {
        OF_BAND * nx * nz + nx * ny
    }
}

/// Samples of a voxel of a band: squared distances in two orders.
const OF_BAND: usize = 2;

/// The surfaces of a turn's labels.
#[derive(Debug)]
pub struct SurfaceLists<'a> {
    turn: &'a SurfaceTurn,
    grid: Grid,
    /// Indices of the voxels on the surface of each label, of the result and of the truth.
    voxels: [Vec<Vec<u64>>; 2],
}

impl<'a> SurfaceLists<'a> {
    /// Empty lists.
    pub(super) fn of(turn: &'a SurfaceTurn, grid: &Grid) -> Self {
        let lists = |image: usize| {
            turn.labels.iter().map(|own| Vec::with_capacity(own.surface[image])).collect::<Vec<_>>()
        };
        Self { turn, grid: grid.clone(), voxels: [0, 1].map(lists) }
    }

    /// Lists the voxels of a box; each voxel has to belong to one box.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add<'t>(&mut self, part: &LabelBox, threads: impl Into<Threads<'t>>) -> Result<(), Stopped> {
        let threads = threads.into().for_samples(part.own.len());
        let Self { turn, grid, voxels } = self;
        let both = voxels.iter_mut().enumerate().collect();
        let found = threads.each(both, |(image, lists)| {
            for row in 0..part.rows() {
                threads.control().check()?;
                list_row(turn, grid, part, image, part.place(row), lists);
            }
            Ok(())
        })?;
        found.into_iter().collect()
    }

    /// The 95th percentile Hausdorff distance of each label, millimetres: the larger of both directed ones. Bands take no more samples, of
    /// 32 bits, than `most_samples`, or are a single row in all planes; the bits do not depend on it.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn hausdorff95_mm<'t>(
        self,
        most_samples: usize,
        threads: impl Into<Threads<'t>>,
    ) -> Result<Vec<f64>, Stopped> {
        let Self { turn, grid, voxels: [result, truth] } = self;
        let threads = threads.into().silent();
        let mut found = Vec::with_capacity(result.len());
        for ((own, mut result), mut truth) in turn.labels.iter().zip(result).zip(truth) {
            let region = own.region.around();
            let threads = threads.for_samples(region.len());
            for list in [&mut result, &mut truth] {
                sort(list, threads.control())?;
            }
            let [result, truth] = [&result, &truth].map(|voxels| Listed { voxels, region, grid: &grid });
            let there = truth.directed95_mm(&result, most_samples, threads)?;
            found.push(there.max(result.directed95_mm(&truth, most_samples, threads)?));
        }
        Ok(found)
    }
}

/// Lists the voxels of a row that are on surfaces in one of the images.
fn list_row(
    turn: &SurfaceTurn,
    grid: &Grid,
    part: &LabelBox,
    image: usize,
    place: [usize; 3],
    lists: &mut [Vec<u64>],
) {
    let labels = part.row(image, place);
    let (mut begin, first) = (0, grid.index(place));
    for run in labels.chunk_by(|a, b| a == b) {
        let own = begin..begin + run.len();
        begin = own.end;
        let Ok(nth) = turn.labels.binary_search_by_key(&run[0], |label| label.label) else { continue };
        let on_surface = own.filter(|along| part.is_on_surface(image, place, *along));
        lists[nth].extend(on_surface.map(|along| (first + along) as u64));
    }
}

/// A surface in the box around a label.
#[derive(Clone, Copy)]
struct Listed<'a> {
    /// Indices of the grid's voxels, in their order.
    voxels: &'a [u64],
    region: GridBox,
    grid: &'a Grid,
}

impl VoxelSet for Listed<'_> {
    fn mark(&self, z: usize, plane: &mut [f32]) {
        let ([nx, ny, _], [x, y, first]) = (self.grid.size(), self.region.begin);
        let begin = (first + z) * nx * ny;
        let below = |end: usize| self.voxels.partition_point(|voxel| *voxel < end as u64);
        plane.fill(f32::INFINITY);
        for voxel in &self.voxels[below(begin)..below(begin + nx * ny)] {
            let within = *voxel as usize - begin;
            plane[within % nx - x + (within / nx - y) * self.region.size[0]] = 0.0;
        }
    }
}

impl Listed<'_> {
    /// The 95th percentile of the distances from its voxels to another surface in the same box.
    fn directed95_mm(&self, to: &Self, most_samples: usize, threads: Threads<'_>) -> Result<f64, Stopped> {
        let (size, spacing_mm) = (self.region.size, self.grid.spacing_mm());
        let mut distances = Vec::with_capacity(self.voxels.len());
        let (count, threads) = rows_at_once(size, most_samples, threads);
        for begin in (0..size[1]).step_by(count) {
            let band = Band { size, rows: begin..(begin + count).min(size[1]) };
            let squared = squared_distance_mm2(to, &band, spacing_mm, threads)?;
            for (nth, voxel) in self.voxels.iter().enumerate() {
                if nth % AT_ONCE == 0 {
                    threads.control().check()?;
                }
                let within = self.within(*voxel as usize);
                if let Some(index) = index_in(&band.rows, size, within) {
                    distances.push(squared.at(index).sqrt());
                }
            }
        }
        quantile(&mut distances, 0.95, threads.control())
    }

    /// A voxel counted from the first one of the box.
    fn within(&self, index: usize) -> [usize; 3] {
        let (voxel, begin) = (self.grid.position(index), self.region.begin);
        [0, 1, 2].map(|a| voxel[a] - begin[a])
    }
}

/// Voxels that are looked at between two questions whether to go on.
const AT_ONCE: usize = 1 << 16;

/// The index of a box's voxel among those of a band, if it belongs there.
fn index_in(rows: &Range<usize>, size: [usize; 3], [x, y, z]: [usize; 3]) -> Option<usize> {
    rows.contains(&y).then(|| (z * rows.len() + y - rows.start) * size[0] + x)
}

/// How many rows of a box a band has, and the threads whose planes fit beside it.
fn rows_at_once<'a>(
    [nx, ny, nz]: [usize; 3],
    most_samples: usize,
    threads: Threads<'a>,
) -> (usize, Threads<'a>) {
    let planes = |threads: Threads<'_>| threads.count() * nx * ny;
    let threads = if planes(threads) <= most_samples / 2 { threads } else { threads.control().into() };
    let rows = most_samples.saturating_sub(planes(threads)) / (OF_BAND * nx * nz);
    (rows.clamp(1, ny), threads)
}
