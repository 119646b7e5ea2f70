//! Columns of distances in the order of elimination become rows in the order of nodes.
//!
//! *In*: `columns[place][column]`, the place of every node, and a row for each column, no two the same.
//! *Out*: `rows[row_of[column]][node] = columns[place_of[node]][column]`.
//! *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

pub use cpu::rows_of_columns;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("column_rows", Bindings, [], "column_rows.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { width: u32, nodes: u32, count: u32, },
        columns: read f32,
        place_of: read u32,
        row_of: read u32,
        rows: write f32,
    }
}

/// Writes the rows of some columns.
#[derive(Debug)]
pub struct ColumnRows<'a> {
    /// Distances, places × width.
    pub columns: &'a Buffer,
    /// Number of columns side by side.
    pub width: usize,
    /// The place of every node.
    pub place_of: &'a Buffer<u32>,
    /// The row that each column is written to; as many columns as entries here are written.
    pub row_of: &'a Buffer<u32>,
    /// Rows of a distance for each node.
    pub rows: &'a mut Buffer,
}

impl Kernel for ColumnRows<'_> {
    const NAME: &'static str = "column_rows";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (nodes, count) = (self.place_of.len(), self.row_of.len());
        lengths.of("columns", self.columns, nodes * self.width).count("row_of", count, 0..=self.width);
        lengths.at_least("rows", self.rows, nodes * count);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::column_rows(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        const SIDE: usize = 32;
        let Self { columns, width, place_of, row_of, rows } = self;
        let (nodes, count) = (place_of.len(), row_of.len());
        let block = Block { width, nodes, count };
        gpu.launch(&SOURCE, "column_rows").bind(&Bindings { block, columns, place_of, row_of, rows }).run([
            cover(nodes, SIDE),
            cover(count, SIDE),
            1,
        ])
    }
}
