//! What each candidate would cost as the medoid of its part: `cost = Σ_node D(candidate, node) · w_part(node)`.
//!
//! *In*: rows of distances; the row and the part of each candidate; parts × nodes weights. *Out*: a sum for each candidate, without
//! infinite distances. *Order*: thread t of 256 adds up the nodes t, t + 256, …, and the threads' sums are added by halves.
//! *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::SUM;
use crate::shared::group_sums::{GROUP, sum_by_halves};
use multiversion::multiversion;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("row_costs", Bindings, [SUM], "row_costs.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { nodes: u32, infinity: f32, },
        rows: read f32,
        row_of: read u32,
        part_of: read u32,
        weights: read f32,
        costs: write f32,
    }
}

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
    /// Weight of every node in each part, parts × nodes.
    pub weights: &'a Buffer,
    /// Cost of each candidate.
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
        let (nodes, rows, row_of) = (self.nodes, self.rows.host(), self.row_of.host());
        let (part_of, weights) = (self.part_of.host(), self.weights.host());
        cpu.split_samples(self.costs.host_mut(), 2 * nodes, |range, costs| {
            for (candidate, cost) in range.zip(costs) {
                let weights = &weights[part_of[candidate] as usize * nodes..][..nodes];
                *cost = row_cost(&rows[row_of[candidate] as usize * nodes..][..nodes], weights);
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { nodes, rows, row_of, part_of, weights, costs } = self;
        let block = Block { nodes, infinity: f32::INFINITY };
        gpu.launch(&SOURCE, "row_costs")
            .bind(&Bindings { block, rows, row_of, part_of, weights, costs })
            .run([part_of.len() as u32, 1, 1])
    }
}

/// A row on the processor, in the order of a workgroup.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn row_cost(row: &[f32], weights: &[f32]) -> f32 {
    let mut lanes = [0.0f32; GROUP];
    for (row, weights) in row.chunks(GROUP).zip(weights.chunks(GROUP)) {
        for ((lane, &way), &weight) in lanes.iter_mut().zip(row).zip(weights) {
            let way = if way == f32::INFINITY { 0.0 } else { way };
            *lane += way * weight;
        }
    }
    sum_by_halves(&mut lanes)
}
