//! How workgroups share the rows of pixels (`rows.wgsl`), and the order of sums over them.

use super::lattice::Elements;
use super::projection::Problems;
use crate::kernel::PreparedLaunch;
use crate::shared::group_sums::{GROUP, sum_by_halves};

/// Fewest threads of a row, so that a workgroup's tables have a bound.
const LEAST_LANES: usize = 32;
/// Most workgroups along x, which stride over the remaining rows.
const MOST_GROUPS: usize = 1 << 14;

/// Number of partial sums of all problems over their rows of pixels.
pub fn row_partials(elements: &Elements) -> usize {
    elements.problems * RowTiles::of(elements).partials()
}

/// How the rows of a problem are cut into tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowTiles {
    /// Number of threads of a row.
    lanes: usize,
    /// Number of nodes of a chunk: with two control points of every component each, at most one sum a thread.
    nodes: usize,
    /// Number of chunks of a row.
    chunks: usize,
    /// Number of tiles of rows.
    tiles: usize,
    /// Number of workgroups along x.
    groups: usize,
}

impl RowTiles {
    pub fn of(elements: &Elements) -> Self {
        let (d, width) = (elements.components(), elements.controls()[0]);
        let lanes = elements.shape.size[0].max(d * width).next_power_of_two().clamp(LEAST_LANES, GROUP);
        let nodes = lanes / (2 * d);
        let tiles = elements.shape.rows().div_ceil(GROUP / lanes);
        Self { lanes, nodes, chunks: (width / 2).div_ceil(nodes), tiles, groups: tiles.min(MOST_GROUPS) }
    }
    /// Number of partial sums of a problem.
    fn partials(&self) -> usize {
        self.groups * self.chunks
    }
    /// Groups of tiles, tiles that a group strides over, and partial sums of a problem.
    pub fn counts(&self) -> [usize; 3] {
        [self.tiles, self.groups, self.partials()]
    }
    pub fn constants<'a>(&self, launch: PreparedLaunch<'a>) -> PreparedLaunch<'a> {
        launch.constant("ROW_LANES", self.lanes).constant("ROW_NODES", self.nodes)
    }
    pub fn workgroups(&self, problems: usize) -> [u32; 3] {
        [self.groups as u32, problems as u32, self.chunks as u32]
    }

    /// The partial sums, computed on a processor, that `rows.wgsl` makes of a value of every pixel.
    pub fn sums(&self, of: Problems<'_>, value: impl Fn(usize, usize) -> f32 + Sync, partials: &mut [f32]) {
        let Problems { cpu, elements, takes } = of;
        let ([nx, ..], rows) = (elements.shape.size, elements.shape.rows());
        let (axis, per_problem) = (elements.axis(0), self.partials());
        cpu.split_rows([partials], 1, elements.pixels(), |index, [sum]| {
            let (problem, own) = (index / per_problem, index % per_problem);
            let (group, chunk) = (own / self.chunks, own % self.chunks);
            let first = chunk * self.nodes;
            let (begin, owned) = (axis.begin(first.max(1) - 1), axis.begin(first));
            let end = axis.begin(first + self.nodes);
            let mut lanes = [0.0f32; GROUP];
            for tile in (group..self.tiles).step_by(self.groups).filter(|_| takes(problem)) {
                let in_tile = GROUP / self.lanes;
                for row in tile * in_tile..((tile + 1) * in_tile).min(rows) {
                    let from = (row - tile * in_tile) * self.lanes;
                    for x in owned..end {
                        lanes[from + (x - begin) % self.lanes] += value(problem, row * nx + x);
                    }
                }
            }
            sum[0] = sum_by_halves(&mut lanes);
        });
    }
}
