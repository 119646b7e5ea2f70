//! Sums of distances, weighted by a table: what the update of medoids needs, without the matrix of distances.

use veloxel_gpu::rows::Shared;

/// `sums[f][j] = Σ_g D(f, g) · P[g][j]` over the nodes g that a path leads to from f.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedSums {
    /// Columns of the table.
    pub columns: usize,
    /// A row of `columns` sums for each node.
    pub sums: Vec<f32>,
    /// For each node, the number of nodes that no path leads to: their distances are infinite and left out.
    pub unreachable: Vec<u32>,
}

impl WeightedSums {
    pub(super) fn zeros(nodes: usize, columns: usize) -> Self {
        Self { columns, sums: vec![0.0; nodes * columns], unreachable: vec![0; nodes] }
    }

    /// Rows for different threads.
    pub(super) fn shared(&mut self) -> SharedSums<'_> {
        SharedSums {
            columns: self.columns,
            sums: Shared::new(&mut self.sums),
            unreachable: Shared::new(&mut self.unreachable),
        }
    }
}

/// The sums of one node.
pub(super) struct Slot<'a> {
    pub sums: &'a mut [f32],
    pub unreachable: &'a mut u32,
}

/// Sums of which every thread writes other rows.
pub(super) struct SharedSums<'a> {
    columns: usize,
    sums: Shared<'a>,
    unreachable: Shared<'a, u32>,
}

impl SharedSums<'_> {
    /// The sums of one node.
    ///
    /// # Safety
    /// No other thread may use the same node.
    pub unsafe fn of(&self, node: usize) -> Slot<'_> {
        // SAFETY: the caller's promise.
        let sums = unsafe { self.sums.get_mut(node * self.columns..(node + 1) * self.columns) };
        // SAFETY: as above.
        let unreachable = unsafe { self.unreachable.get_mut(node..node + 1) };
        Slot { sums, unreachable: &mut unreachable[0] }
    }
}

/// The table that distances are weighted by.
#[derive(Debug, Clone, Copy)]
pub(super) struct SumsOf<'a> {
    /// Columns of the table.
    pub columns: usize,
    /// A row of `columns` weights for each node.
    pub table: &'a [f32],
}

/// Nodes that are summed in single precision before they join the total.
const PART: usize = 256;

impl SumsOf<'_> {
    /// Adds up one row of distances.
    pub fn add_row(&self, row: &[f32], out: Slot<'_>) {
        let mut totals = vec![0.0f64; self.columns];
        let mut part = vec![0.0f32; self.columns];
        let rows = row.chunks(PART).zip(self.table.chunks(PART * self.columns.max(1)));
        let mut unreachable = 0;
        for (distances, weights) in rows {
            part.fill(0.0);
            for (&distance, weights) in distances.iter().zip(weights.chunks_exact(self.columns)) {
                let is_far = distance == f32::INFINITY;
                unreachable += u32::from(is_far);
                let distance = if is_far { 0.0 } else { distance };
                for (sum, &weight) in part.iter_mut().zip(weights) {
                    *sum += distance * weight;
                }
            }
            totals.iter_mut().zip(&part).for_each(|(total, &sum)| *total += f64::from(sum));
        }
        out.sums.iter_mut().zip(&totals).for_each(|(sum, &total)| *sum = total as f32);
        *out.unreachable = unreachable;
    }
}
