//! Lower bounds of what each node would cost as the medoid of its part, from the costs of candidates of that part.
//!
//! *Paper*: J. Newling, F. Fleuret, "A Sub-Quadratic Exact Medoid Algorithm", AISTATS 2017, arXiv:1605.06950, equation 3.
//! *Bound*: `cost(node) ≥ |W D(node, candidate) − cost(candidate)|` with W the sum of the part's weights, by the triangle
//! inequality.
//! *In*: rows of distances; candidates in the order of their parts, with their rows and costs; the first candidate of each
//! part; W of each part; the label of each node. *In and out*: a bound of each node, which never falls. The bound of a
//! candidate becomes infinite, because its cost is known. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::LINE;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("medoid_bounds", Bindings, [LINE], "medoid_bounds.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { nodes: u32, parts: u32, infinity: f32, },
        rows: read f32,
        row_of: read u32,
        candidates: read u32,
        costs: read f32,
        begins: read u32,
        totals: read f32,
        labels: read u32,
        bounds: write f32,
    }
}

/// Cost of a node on the processor, in units of copying a number, for the split over threads.
const COST: usize = 64;

/// Raises the bounds of nodes.
#[derive(Debug)]
pub struct MedoidBounds<'a> {
    /// Rows of a distance for each node.
    pub rows: &'a Buffer,
    /// The row of each candidate.
    pub row_of: &'a Buffer<u32>,
    /// The nodes that candidates are.
    pub candidates: &'a Buffer<u32>,
    /// Cost of each candidate.
    pub costs: &'a Buffer,
    /// Index of the first candidate of each part; one more entry than there are parts.
    pub begins: &'a Buffer<u32>,
    /// The sum of weights of each part.
    pub totals: &'a Buffer,
    /// The part of each node; a number that is no part's stands for none.
    pub labels: &'a Buffer<u32>,
    /// Lower bound of each node's cost.
    pub bounds: &'a mut Buffer,
}

impl Kernel for MedoidBounds<'_> {
    const NAME: &'static str = "medoid_bounds";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (candidates, nodes) = (self.candidates.len(), self.labels.len());
        lengths.of("row_of", self.row_of, candidates).of("costs", self.costs, candidates);
        lengths.of("rows", self.rows, self.rows.len() / nodes * nodes);
        lengths.of("begins", self.begins, self.totals.len() + 1).of("bounds", self.bounds, nodes);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (rows, row_of, candidates) = (self.rows.host(), self.row_of.host(), self.candidates.host());
        let (costs, begins, totals) = (self.costs.host(), self.begins.host(), self.totals.host());
        let labels = self.labels.host();
        cpu.split_samples(self.bounds.host_mut(), COST, |range, bounds| {
            for (node, bound) in range.zip(bounds) {
                let part = labels[node] as usize;
                if *bound == f32::INFINITY || part >= totals.len() {
                    continue;
                }
                for nth in begins[part] as usize..begins[part + 1] as usize {
                    let way = rows[row_of[nth] as usize * labels.len() + node];
                    let least = (totals[part] * way - costs[nth]).abs();
                    *bound = bound.max(least);
                    if candidates[nth] == node as u32 {
                        *bound = f32::INFINITY;
                    }
                }
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let nodes = self.labels.len();
        let block = Block { nodes, parts: self.totals.len(), infinity: f32::INFINITY };
        let Self { rows, row_of, candidates, costs, begins, totals, labels, bounds } = self;
        gpu.launch(&SOURCE, "medoid_bounds")
            .bind(&Bindings { block, rows, row_of, candidates, costs, begins, totals, labels, bounds })
            .run(line(nodes, 256))
    }
}
