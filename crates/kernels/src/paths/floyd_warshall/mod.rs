//! All distances of a graph by Floyd–Warshall over tiles of 128 × 128, on the whole matrix or on its lower triangle.
//!
//! *Paper*: G. J. Katz, J. T. Kider, "All-pairs shortest-paths for large graphs on the GPU", Graphics Hardware 2008 (three phases a
//! block of pivots); the half matrix as in the 2011 paper on optical flow and face clustering, section 4: lower-triangle tiles in
//! z-order, half the memory and half the work.
//! *In*: lengths of arcs, 0 on the diagonal, infinite elsewhere, tile after tile as a [`TileLayout`] says; nodes beyond the
//! last are infinitely far away. *Out*: distances, in place.
//! *Phases* of pivots p: the tile (p, p) is closed, pivot by pivot; then the tiles of its row, `min(old, closed ⊗ old)`, and of its
//! column, `min(old, old ⊗ closed)`; then every other tile, `min(old, column ⊗ row)`.
//! Lengths are floats, or [whole numbers of 16 bits](Length): the sums of these are exact, and twice as many fit into a register.
//! *Halo*: none.

mod cpu;
mod gpu;
mod layout;
mod length;
#[cfg(test)]
mod parity;
mod texts;

pub use layout::{MatrixHalf, TileLayout};
pub use length::Length;

use crate::kernel::{Kernel, Launcher, Lengths};
use veloxel_gpu::{Buffer, ComputeError, Cpu};

/// Number of rows, and of columns, of a tile.
pub(crate) const TILE: usize = 128;
/// Number of samples of a tile.
const TILE_LEN: usize = TILE * TILE;

/// Finds all distances.
#[derive(Debug)]
pub struct FloydWarshall<'a, T: Length = f32> {
    /// The layout of tiles.
    pub layout: &'a TileLayout,
    /// The matrix, tile after tile.
    pub lengths: &'a mut Buffer<T>,
}

impl<T: Length> Kernel for FloydWarshall<'_, T> {
    const NAME: &'static str = "floyd_warshall";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("lengths", self.lengths, self.layout.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::floyd_warshall(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::floyd_warshall(self, gpu)
    }
}
