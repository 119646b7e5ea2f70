//! Sums of columns of distances, weighted by a table: `sums[j][column] = Σ_place D[place][column] · P[place][j]` over finite
//! distances, and the number of infinite ones.
//!
//! *Order*: 256 places are added up one after the other, 64 such parts to a group, then the groups: every device computes the
//! same bits.
//! *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

pub use cpu::{SummedColumns, sums_of_columns};

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("column_sums", Bindings, [], "column_sums.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            width: u32,
            places: u32,
            /// Number of columns of the table.
            count: u32,
            /// Number of parts of 256 places.
            parts: u32,
            infinity: f32,
        },
        columns: read f32,
        table: read f32,
        part_sums: write f32,
        part_infinite: write u32,
        sums: write f32,
        infinite: write u32,
    }
}

/// Number of places that are added up one after the other.
const PART: usize = 256;
/// Number of parts of a group.
const GROUP: usize = 64;

/// Adds up columns.
#[derive(Debug)]
pub struct ColumnSums<'a> {
    /// Distances, places × width.
    pub columns: &'a Buffer,
    /// Number of columns side by side: a multiple of sixteen.
    pub width: usize,
    /// Weights, places × count.
    pub table: &'a Buffer,
    /// Number of columns of the table, at least one.
    pub count: usize,
    /// Sums, count × width.
    pub sums: &'a mut Buffer,
    /// The number of infinite distances of each column.
    pub infinite: &'a mut Buffer<u32>,
}

impl Kernel for ColumnSums<'_> {
    const NAME: &'static str = "column_sums";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let places = self.columns.len() / self.width;
        lengths.of("columns", self.columns, places * self.width).of("table", self.table, places * self.count);
        lengths.of("sums", self.sums, self.count * self.width).of("infinite", self.infinite, self.width);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::column_sums(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        const THREADS: usize = 128;
        const AT_ONCE: usize = 8;
        let Self { columns, width, table, count, sums, infinite } = self;
        let places = columns.len() / width;
        let parts = places.div_ceil(PART);
        let part_sums = gpu.device().scratch::<f32>(parts * count * width)?;
        let part_infinite = gpu.device().scratch::<u32>(parts * width)?;
        let block = Block { width, places, count, parts, infinity: f32::INFINITY };
        let (part_sums, part_infinite) = (&part_sums, &part_infinite);
        let bindings = Bindings { block, columns, table, part_sums, part_infinite, sums, infinite };
        gpu.launch(&SOURCE, "add_parts").bind(&bindings).run([
            cover(width, THREADS),
            parts as u32,
            cover(count, AT_ONCE),
        ])?;
        gpu.launch(&SOURCE, "add_columns").bind(&bindings).run([cover(width, THREADS), count as u32, 1])
    }
}
