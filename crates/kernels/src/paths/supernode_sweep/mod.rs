//! Distances from some nodes to all, by sweeps up and down a tree of separators whose elimination is done.
//!
//! *Paper*: P. Sao, R. Kannan, P. Gera, R. Vuduc, "A supernodal all-pairs shortest path algorithm", PPoPP 2020,
//! doi:10.1145/3332466.3374533; here every column is solved by two sweeps over the factor, as with a triangular factor, in place
//! of their updates of the whole matrix: fewer operations, and no matrix that must be kept.
//! *In*: [`Supernodes`]: places of nodes in the order of elimination; for each supernode the places of its boundary (nodes above
//! it that its subtree touches), lengths within it (its *closure*) and to its boundary (its *coupling*), both through its
//! subtree; of directed graphs also those from its boundary, which then take the coupling's place on the way down.
//! *Out*: `down[place][column]`: the distance from the column's source to the node at a place, infinite where no path leads.
//! *Up*: `X = 0` at each source; from the leaves to the root, `X[boundary] = min(X[boundary], couplingᵀ ⊗ X[own])`, over the
//! columns whose sources are in the supernode's subtree. *Down*: from the root to the leaves,
//! `D[own] = min(closure ⊗ X[own], coupling ⊗ D[boundary])`.
//! *Cost*: own × boundary operations a supernode and column on the way down; on the way up only the path from the source.
//! *Halo*: none.

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;
mod supernodes;

pub use cpu::SweepScratch;
pub use supernodes::{SupernodeEntry, Supernodes};

use crate::kernel::{Kernel, Launcher, Lengths};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Device};

/// A factor in the memory of the device where sweeps run.
#[derive(Debug)]
pub struct ResidentSupernodes {
    host: Supernodes,
    on_gpu: Option<gpu::OnGpu>,
}

impl ResidentSupernodes {
    /// Copies the factor to a GPU; on the processor it stays where it is.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`].
    pub fn new(host: Supernodes, device: &Device) -> Result<Self, ComputeError> {
        let on_gpu = if device.is_gpu() { Some(gpu::OnGpu::new(&host, device)?) } else { None };
        Ok(Self { host, on_gpu })
    }
    /// The factor in host memory.
    pub fn host(&self) -> &Supernodes {
        &self.host
    }
    fn on_gpu(&self) -> &gpu::OnGpu {
        self.on_gpu.as_ref().expect("the factor should be on the GPU that it is used on")
    }
}

/// Solves some columns.
#[derive(Debug)]
pub struct SupernodeSweep<'a> {
    /// The factor.
    pub supernodes: &'a ResidentSupernodes,
    /// Places of the sources, ascending, one a column.
    pub sources: &'a [usize],
    /// Number of columns side by side: a multiple of [`SweepScratch::COLUMNS`]; columns beyond the last source are infinite.
    pub width: usize,
    /// Memory of the sweep up the tree, nodes × width.
    pub up: &'a mut Buffer,
    /// The distances, nodes × width.
    pub down: &'a mut Buffer,
}

impl Kernel for SupernodeSweep<'_> {
    const NAME: &'static str = "supernode_sweep";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let len = self.supernodes.host.nodes * self.width;
        assert!(self.width.is_multiple_of(SweepScratch::COLUMNS), "columns should come in whole blocks");
        assert!(
            self.sources.is_sorted() && self.sources.len() <= self.width,
            "sources should ascend, one a column"
        );
        lengths.of("up", self.up, len).of("down", self.down, len);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::sweep_blocks(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::sweep(self, gpu)
    }
}
