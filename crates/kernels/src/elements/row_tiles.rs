//! How workgroups share the rows of pixels (`rows.wgsl`), and the order of sums over them.

use super::lattice::Elements;
use super::projection::Problems;
use crate::kernel::PreparedLaunch;
use crate::shared::group_sums::{GROUP, sum_by_halves};

/// Threads of a row at least, so that a workgroup's tables have a bound.
const LEAST_LANES: usize = 32;
/// Workgroups along x at most; what is more rows they stride over.
const MOST_GROUPS: usize = 1 << 14;

/// Partial sums of all problems over their rows of pixels.
pub fn row_partials(elements: &Elements) -> usize {
    elements.problems * RowTiles::of(elements).partials()
}

/// Tiles of a problem's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowTiles {
    /// Threads of a row.
    lanes: usize,
    /// Nodes of a chunk: with two control points of every component each, at most a sum a thread.
    nodes: usize,
    /// Chunks of a row.
    chunks: usize,
    /// Tiles of rows.
    tiles: usize,
    /// Workgroups along x.
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
    /// Partial sums of a problem.
    fn partials(&self) -> usize {
        self.groups * self.chunks
    }
    /// Groups of tiles, tiles that a group strides over, partial sums of a problem.
    pub fn counts(&self) -> [usize; 3] {
        [self.tiles, self.groups, self.partials()]
    }
    pub fn constants<'a>(&self, launch: PreparedLaunch<'a>) -> PreparedLaunch<'a> {
        launch.constant("ROW_LANES", self.lanes).constant("ROW_NODES", self.nodes)
    }
    pub fn workgroups(&self, problems: usize) -> [u32; 3] {
        [self.groups as u32, problems as u32, self.chunks as u32]
    }

    /// On processors, the partial sums of a value of every pixel that `rows.wgsl` leaves.
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
