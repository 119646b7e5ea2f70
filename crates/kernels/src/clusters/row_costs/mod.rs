//! What each candidate would cost as the medoid of its part: `cost = Σ_node D(candidate, node) · w_part(node)`.
//!
//! *In*: rows of distances; the row and the part of each candidate; parts × nodes weights. *Out*: a sum for each candidate, without
//! infinite distances. *Order*: thread t of 256 adds up the nodes t, t + 256, …, and the threads' sums are added by halves.
//! *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::SUM;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform};

static SOURCE: ShaderSource = ShaderSource::wgsl("row_costs", &[SUM, include_str!("row_costs.wgsl")]);

/// Adds up rows.
#[derive(Debug)]
pub struct RowCosts<'a> {
    /// Number of nodes.
    pub nodes: usize,
    /// Rows of as many distances.
    pub rows: &'a Buffer,
    /// The row of each candidate.
    pub row_of: &'a Buffer<u32>,
    /// The part of each candidate.
    pub part_of: &'a Buffer<u32>,
    /// Parts × nodes.
    pub weights: &'a Buffer,
    /// Of each candidate.
    pub costs: &'a mut Buffer,
}

impl Kernel for RowCosts<'_> {
    const NAME: &'static str = "row_costs";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (candidates, nodes) = (self.part_of.len(), self.nodes);
        lengths.of("row_of", self.row_of, candidates).of("costs", self.costs, candidates);
        lengths.of("rows", self.rows, self.rows.len() / nodes * nodes);
        lengths.of("weights", self.weights, self.weights.len() / nodes * nodes);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::row_costs(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu.launch(&SOURCE, "row_costs")
            .uniform(Uniform::new().u(self.nodes).f(f32::INFINITY))
            .input(self.rows)
            .input(self.row_of)
            .input(self.part_of)
            .input(self.weights)
            .output(self.costs)
            .run([self.part_of.len() as u32, 1, 1])
    }
}
