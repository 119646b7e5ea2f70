//! Blocks of sources on a GPU: as many columns at a time as its memory holds.

use super::Dissection;
use crate::MeshError;
use crate::shortest_paths::engine::{RowBlock, Visit};
use crate::shortest_paths::weighted_sums::{SumsOf, WeightedSums};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::paths::column_rows::ColumnRows;
use veloxel_kernels::paths::column_sums::ColumnSums;
use veloxel_kernels::paths::supernode_sweep::{SupernodeSweep, SweepScratch};

/// Samples that a kernel can index.
const MOST_SAMPLES: usize = u32::MAX as usize;
/// Bytes of one buffer where the driver does not say what is free.
const UNKNOWN_FREE: usize = 1 << 30;
/// Samples that a download brings at a time.
const ROWS_AT_ONCE: usize = 1 << 26;

/// Memory of the sweeps, for a number of columns.
struct Columns {
    width: usize,
    up: Buffer,
    down: Buffer,
}

impl Columns {
    /// At most `wanted` columns, and `buffers` of nodes × columns samples that fit side by side.
    fn new(nodes: usize, wanted: usize, buffers: usize, device: &Device) -> Result<Self, MeshError> {
        const WHOLE: usize = SweepScratch::COLUMNS;
        let free = device.free_bytes().unwrap_or(UNKNOWN_FREE) / 4 * 3;
        let fit = (free / (4 * nodes * buffers)).min(MOST_SAMPLES / nodes) / WHOLE * WHOLE;
        let width = wanted.next_multiple_of(WHOLE).min(fit.max(WHOLE));
        Ok(Self { width, up: device.scratch(nodes * width)?, down: device.scratch(nodes * width)? })
    }

    fn solve(&mut self, of: &Dissection, sources: &[usize]) -> Result<(), MeshError> {
        let Self { width, up, down } = self;
        let supernodes = &of.supernodes;
        Ok(SupernodeSweep { supernodes, sources, width: *width, up, down }.run(&of.device)?)
    }
}

impl Dissection {
    pub(super) fn rows_on_gpu(&self, places: &[usize], visit: Visit<'_>) -> Result<(), MeshError> {
        let nodes = self.node_at.len();
        let wanted = places.len().min((ROWS_AT_ONCE / nodes).max(1));
        let mut columns = Columns::new(nodes, wanted, 3, &self.device)?;
        let place_of = self.device.upload_copy(&self.place_of)?;
        for block in places.chunks(columns.width) {
            columns.solve(self, block)?;
            let mut rows = self.device.scratch(block.len() * nodes)?;
            let row_of = self.device.upload((0..block.len() as u32).collect())?;
            let (width, columns) = (columns.width, &columns.down);
            ColumnRows { columns, width, place_of: &place_of, row_of: &row_of, rows: &mut rows }
                .run(&self.device)?;
            let sources: Vec<u32> = block.iter().map(|&place| self.node_at[place]).collect();
            let rows = self.device.download(rows)?;
            // What is done with rows, such as writing them, takes longer than they took.
            self.cpu.split(sources.len(), rows.len(), |range| {
                let rows = &rows[range.start * nodes..range.end * nodes];
                visit(RowBlock { sources: &sources[range], rows });
            });
        }
        Ok(())
    }

    /// A row for each source, in their order, left on the device.
    pub(super) fn rows_left_on_gpu(&self, sources: &[u32]) -> Result<Buffer, MeshError> {
        let nodes = self.node_at.len();
        let mut rows = self.device.scratch(sources.len() * nodes)?;
        let mut columns = Columns::new(nodes, sources.len(), 2, &self.device)?;
        let place_of = self.device.upload_copy(&self.place_of)?;
        let mut places: Vec<(usize, u32)> =
            sources.iter().map(|&node| self.place_of[node as usize] as usize).zip(0..).collect();
        places.sort_unstable();
        for block in places.chunks(columns.width) {
            let (sources, row_of): (Vec<usize>, Vec<u32>) = block.iter().copied().unzip();
            columns.solve(self, &sources)?;
            let row_of = self.device.upload(row_of)?;
            let (width, columns) = (columns.width, &columns.down);
            ColumnRows { columns, width, place_of: &place_of, row_of: &row_of, rows: &mut rows }
                .run(&self.device)?;
        }
        Ok(rows)
    }

    /// `table` holds a row for each place.
    pub(super) fn sums_on_gpu(&self, of: SumsOf<'_>, found: &mut WeightedSums) -> Result<(), MeshError> {
        let (nodes, count) = (self.node_at.len(), of.columns);
        let table = self.device.upload_copy(of.table)?;
        // Parts of the sums take memory as well: a share of a matrix for each column of the table.
        let mut columns = Columns::new(nodes, nodes, 3 + count / 64, &self.device)?;
        let mut sums = self.device.scratch(count * columns.width)?;
        let mut infinite = self.device.scratch(columns.width)?;
        let places: Vec<usize> = (0..nodes).collect();
        for block in places.chunks(columns.width) {
            columns.solve(self, block)?;
            let (width, columns) = (columns.width, &columns.down);
            let (table, infinite_of, sums_of) = (&table, &mut infinite, &mut sums);
            ColumnSums { columns, width, table, count, sums: sums_of, infinite: infinite_of }
                .run(&self.device)?;
            let (sums, infinite) = (self.device.read(&sums)?, self.device.read(&infinite)?);
            for (column, &place) in block.iter().enumerate() {
                let node = self.node_at[place] as usize;
                for j in 0..count {
                    found.sums[node * count + j] = sums[j * width + column];
                }
                found.unreachable[node] = infinite[column];
            }
        }
        Ok(())
    }
}
