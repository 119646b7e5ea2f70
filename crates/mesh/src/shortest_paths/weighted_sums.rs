//! Sums of distances, weighted by a table: what the update of medoids needs, without the matrix of distances.

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

    /// Puts in the sums of a node.
    pub(super) fn put(&mut self, node: usize, sums: impl Iterator<Item = f32>, unreachable: u32) {
        let row = &mut self.sums[node * self.columns..][..self.columns];
        row.iter_mut().zip(sums).for_each(|(slot, sum)| *slot = sum);
        self.unreachable[node] = unreachable;
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
    /// The sums of one row of distances, and how many distances are infinite.
    pub(crate) fn of_row(&self, row: &[f32]) -> (Vec<f64>, u32) {
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
        (totals, unreachable)
    }
}
