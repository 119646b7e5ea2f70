//! Columns of distances in the order of elimination become rows in the order of nodes.
//!
//! *In*: `columns[place][column]`, the place of every node, and a row for each column, no two the same.
//! *Out*: `rows[row_of[column]][node] = columns[place_of[node]][column]`.
//! *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

pub use cpu::rows_of_columns;

use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource = wgsl!("column_rows", [], "column_rows.wgsl");

/// Writes the rows of some columns.
#[derive(Debug)]
pub struct ColumnRows<'a> {
    /// Places × width distances.
    pub columns: &'a Buffer,
    /// Columns side by side.
    pub width: usize,
    /// The place of every node.
    pub place_of: &'a Buffer<u32>,
    /// The row of every column that is written; as many columns as it has rows.
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
        let (nodes, count) = (self.place_of.len(), self.row_of.len());
        gpu.launch(&SOURCE, "column_rows")
            .uniform(Uniform::new().u(self.width).u(nodes).u(count))
            .reads([self.columns, self.place_of, self.row_of])
            .output(self.rows)
            .run([cover(nodes, SIDE), cover(count, SIDE), 1])
    }
}
