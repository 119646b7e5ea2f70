//! Blocks of sources on a GPU: as many columns at a time as its memory holds.

use super::Dissection;
use crate::error::MeshError;
use crate::shortest_paths::engine::{RowBlock, Visit};
use crate::shortest_paths::weighted_sums::{SumsOf, WeightedSums};
use veloxel_gpu::Buffer;
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
    place_of: Buffer<u32>,
}

impl Columns {
    /// At most `wanted` columns, and `buffers` of nodes × columns samples that fit side by side.
    fn new(of: &Dissection, wanted: usize, buffers: usize) -> Result<Self, MeshError> {
        const WHOLE: usize = SweepScratch::COLUMNS;
        let (device, nodes) = (&of.device, of.node_at.len());
        let free = device.free_bytes().unwrap_or(UNKNOWN_FREE) / 4 * 3;
        let fit = (free / (4 * nodes * buffers)).min(MOST_SAMPLES / nodes) / WHOLE * WHOLE;
        let width = wanted.next_multiple_of(WHOLE).min(fit.max(WHOLE));
        let (up, down) = (device.scratch(nodes * width)?, device.scratch(nodes * width)?);
        Ok(Self { width, up, down, place_of: device.upload_copy(&of.place_of)? })
    }

    fn solve(&mut self, of: &Dissection, sources: &[usize]) -> Result<(), MeshError> {
        let Self { width, up, down, .. } = self;
        let supernodes = &of.supernodes;
        Ok(SupernodeSweep { supernodes, sources, width: *width, up, down }.run(&of.device)?)
    }

    /// Puts the row of each source where `row_of` says.
    fn solve_rows(
        &mut self,
        of: &Dissection,
        sources: &[usize],
        row_of: Vec<u32>,
        rows: &mut Buffer,
    ) -> Result<(), MeshError> {
        self.solve(of, sources)?;
        let Self { width, down: columns, place_of, .. } = &*self;
        let row_of = &of.device.upload(row_of)?;
        Ok(ColumnRows { columns, width: *width, place_of, row_of, rows }.run(&of.device)?)
    }
}

impl Dissection {
    pub(super) fn rows_on_gpu(&self, places: &[usize], visit: Visit<'_>) -> Result<(), MeshError> {
        let nodes = self.node_at.len();
        let wanted = places.len().min((ROWS_AT_ONCE / nodes).max(1));
        let mut columns = Columns::new(self, wanted, 3)?;
        for block in places.chunks(columns.width) {
            let mut rows = self.device.scratch(block.len() * nodes)?;
            columns.solve_rows(self, block, (0..block.len() as u32).collect(), &mut rows)?;
            let sources: Vec<u32> = block.iter().map(|&place| self.node_at[place]).collect();
            let rows = self.device.download(rows)?;
            // What is done with rows, such as writing them, takes longer than they took.
            self.cpu.split(sources.len(), rows.len(), |range| {
                let rows = &rows[range.start * nodes..range.end * nodes];
                visit(RowBlock { sources: &sources[range], rows });
            });
            self.cpu.check()?;
        }
        Ok(())
    }

    /// A row for each source, in their order, left on the device.
    pub(super) fn rows_left_on_gpu(&self, sources: &[u32]) -> Result<Buffer, MeshError> {
        let mut rows = self.device.scratch(sources.len() * self.node_at.len())?;
        let mut columns = Columns::new(self, sources.len(), 2)?;
        let mut places: Vec<(usize, u32)> =
            sources.iter().map(|&node| self.place_of[node as usize] as usize).zip(0..).collect();
        places.sort_unstable();
        for block in places.chunks(columns.width) {
            let (sources, row_of): (Vec<usize>, Vec<u32>) = block.iter().copied().unzip();
            columns.solve_rows(self, &sources, row_of, &mut rows)?;
        }
        Ok(rows)
    }

    /// `table` holds a row for each place.
    pub(super) fn sums_on_gpu(&self, of: SumsOf<'_>) -> Result<WeightedSums, MeshError> {
        let (nodes, count) = (self.node_at.len(), of.columns);
        let table = self.device.upload_copy(of.table)?;
        // Parts of the sums take memory as well: a share of a matrix for each column of the table.
        let mut columns = Columns::new(self, nodes, 3 + count / 64)?;
        let mut found = WeightedSums::zeros(nodes, count);
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
                let of_column = sums.iter().skip(column).step_by(width).copied();
                found.put(self.node_at[place] as usize, of_column, infinite[column]);
            }
        }
        Ok(found)
    }
}
