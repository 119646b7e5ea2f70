//! All distances of a graph by nested dissection: exact, and fast where separators are small, as in graphs of meshes.
//!
//! *Paper*: P. Sao, R. Kannan, P. Gera, R. Vuduc, "A supernodal all-pairs shortest path algorithm", PPoPP 2020,
//! doi:10.1145/3332466.3374533.
//! *Notation*: n nodes; a supernode has s nodes of its own and r on its boundary.
//! *Where we differ*: the paper updates the whole matrix while it eliminates; here the factor is made once, and rows of distances
//! come from two sweeps over it for 64 sources at a time ([`supernode_sweep`](veloxel_kernels::paths::supernode_sweep)): Σ s·r
//! additions a row, nothing to keep, and every row by itself. Separators are our own multilevel bisections.
//! *Cost*: once Σ (s + r)² s, then Σ s·r a row; of the graph of a mesh of 17 thousand faces about 20 additions a distance.
//! *Evidence*: `shortest_paths::tests`, and `needs_data` against searches on every mesh of the data folder.
//! *Limits*: graphs without small separators cost as much as Floyd–Warshall.

mod arcs;
mod elimination;
mod front;
mod level_sets;
mod on_gpu;
mod piece;
mod refinement;
mod separator;
mod separator_tree;

pub(super) use elimination::EliminationPlan;

use super::engine::{Engine, RowBlock, Visit};
use super::weighted_sums::{SumsOf, WeightedSums};
use crate::error::MeshError;
use std::sync::Mutex;
use veloxel_core::Stopped;
use veloxel_gpu::{Buffer, Cpu, Device};
use veloxel_kernels::paths::column_rows::rows_of_columns;
use veloxel_kernels::paths::column_sums::sums_of_columns;
use veloxel_kernels::paths::supernode_sweep::{ResidentSupernodes, SweepScratch};

/// Sources that are solved together.
const BLOCK: usize = SweepScratch::COLUMNS;

/// An eliminated graph.
#[derive(Debug)]
pub(super) struct Dissection {
    supernodes: ResidentSupernodes,
    /// The node at each place.
    node_at: Vec<u32>,
    /// The place of each node.
    place_of: Vec<u32>,
    cpu: Cpu,
    device: Device,
    scratch: Mutex<Vec<Scratch>>,
}

/// Memory of a thread.
#[derive(Debug)]
struct Scratch {
    sweep: SweepScratch,
    rows: Vec<f32>,
}

impl Dissection {
    /// # Errors
    /// [`MeshError::Memory`] if factor and scratch take more than `budget_bytes`; [`MeshError::Compute`].
    pub fn new(
        mut plan: EliminationPlan<'_>,
        device: &Device,
        cpu: &Cpu,
        budget_bytes: u64,
    ) -> Result<Self, MeshError> {
        let nodes = plan.place_of.len();
        let threads = if device.is_gpu() { 0 } else { cpu.threads() as u64 };
        let row_bytes = 4 * (BLOCK * nodes) as u64;
        let needed_bytes = plan.bytes() + threads * (SweepScratch::bytes(nodes) + row_bytes);
        if needed_bytes > budget_bytes {
            let what = format!("dissection of {nodes} nodes");
            let ways_out = "use the method dijkstra, fewer threads, or allow more";
            return Err(MeshError::Memory { what, needed_bytes, budget_bytes, ways_out });
        }
        let supernodes = ResidentSupernodes::new(plan.eliminate(cpu)?, device)?;
        let (node_at, place_of) = (plan.tree.node_at, plan.place_of);
        let (cpu, device) = (cpu.clone(), device.clone());
        Ok(Self { supernodes, node_at, place_of, cpu, device, scratch: Mutex::default() })
    }

    /// Solves blocks of sources, given by ascending places; `take` gets them with their columns.
    ///
    /// # Errors
    /// [`Stopped`].
    fn blocks(&self, places: &[usize], take: impl Fn(&[usize], &mut Scratch) + Sync) -> Result<(), Stopped> {
        let count = places.len().div_ceil(BLOCK);
        self.cpu.split(count, Cpu::HEAVY_ITEMS, |range| {
            let kept = self.scratch.lock().expect("no thread should have failed").pop();
            let fresh = || Scratch { sweep: SweepScratch::new(self.supernodes.host()), rows: Vec::new() };
            let mut scratch = kept.unwrap_or_else(fresh);
            let blocks = places[range.start * BLOCK..places.len().min(range.end * BLOCK)].chunks(BLOCK);
            for block in blocks.take_while(|_| self.cpu.check().is_ok()) {
                take(block, &mut scratch);
            }
            self.scratch.lock().expect("no thread should have failed").push(scratch);
        });
        self.cpu.check()
    }
}

impl Engine for Dissection {
    fn rows(&self, sources: &[u32], visit: Visit<'_>) -> Result<(), MeshError> {
        let mut places: Vec<usize> =
            sources.iter().map(|&node| self.place_of[node as usize] as usize).collect();
        places.sort_unstable();
        if self.device.is_gpu() {
            return self.rows_on_gpu(&places, visit);
        }
        self.blocks(&places, |block, scratch| {
            let columns = scratch.sweep.solve(self.supernodes.host(), block);
            scratch.rows.resize(block.len() * self.node_at.len(), 0.0);
            rows_of_columns(columns, BLOCK, &self.place_of, &mut scratch.rows);
            let sources: Vec<u32> = block.iter().map(|&place| self.node_at[place]).collect();
            visit(RowBlock { sources: &sources, rows: &scratch.rows });
        })?;
        Ok(())
    }

    fn resident_rows(&self, sources: &[u32]) -> Option<Result<Buffer, MeshError>> {
        self.device.is_gpu().then(|| self.rows_left_on_gpu(sources))
    }

    fn weighted_sums(&self, nodes: usize, of: SumsOf<'_>) -> Result<WeightedSums, MeshError> {
        let columns = of.columns;
        let table: Vec<f32> = self
            .node_at
            .iter()
            .flat_map(|&node| &of.table[node as usize * columns..][..columns])
            .copied()
            .collect();
        if self.device.is_gpu() {
            return self.sums_on_gpu(SumsOf { columns, table: &table });
        }
        let found = Mutex::new(WeightedSums::zeros(nodes, columns));
        let places: Vec<usize> = (0..nodes).collect();
        self.blocks(&places, |block, scratch| {
            let sums =
                sums_of_columns(scratch.sweep.solve(self.supernodes.host(), block), BLOCK, &table, columns);
            let mut found = found.lock().expect("no thread should have failed");
            for (column, &place) in block.iter().enumerate() {
                let of_column = sums.sums.iter().skip(column).step_by(BLOCK).copied();
                found.put(self.node_at[place] as usize, of_column, sums.infinite[column]);
            }
        })?;
        Ok(found.into_inner().expect("no thread should have failed"))
    }
}
