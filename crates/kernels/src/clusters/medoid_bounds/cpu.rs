//! Processor text: a node after the other.

use super::MedoidBounds;
use veloxel_gpu::Cpu;

/// What a node costs beside copying a number, for the split over threads.
const COST: usize = 64;

pub(super) fn medoid_bounds(cpu: &Cpu, args: MedoidBounds<'_>) {
    let MedoidBounds { rows, row_of, candidates, costs, begins, totals, labels, bounds } = args;
    let (rows, row_of) = (rows.host(), row_of.host());
    let (candidates, costs) = (candidates.host(), costs.host());
    let (begins, totals, labels) = (begins.host(), totals.host(), labels.host());
    let nodes = labels.len();
    cpu.split_samples(bounds.host_mut(), COST, |range, bounds| {
        for (node, bound) in range.zip(bounds) {
            let part = labels[node] as usize;
            if *bound == f32::INFINITY || part >= totals.len() {
                continue;
            }
            for nth in begins[part] as usize..begins[part + 1] as usize {
                let way = rows[row_of[nth] as usize * nodes + node];
                let least = (totals[part] * way - costs[nth]).abs();
                *bound = bound.max(least);
                if candidates[nth] == node as u32 {
                    *bound = f32::INFINITY;
                }
            }
        }
    });
}
