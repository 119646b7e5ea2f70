//! Processor text: a row at a time, in the order of a workgroup.

use super::RowCosts;
use crate::shared::group_sums::{GROUP, sum_by_halves};
use multiversion::multiversion;
use veloxel_gpu::Cpu;

pub(super) fn row_costs(cpu: &Cpu, args: RowCosts<'_>) {
    let RowCosts { nodes, rows, row_of, part_of, weights, costs } = args;
    let (rows, row_of) = (rows.host(), row_of.host());
    let (part_of, weights) = (part_of.host(), weights.host());
    cpu.split_samples(costs.host_mut(), 2 * nodes, |range, costs| {
        for (candidate, cost) in range.zip(costs) {
            let weights = &weights[part_of[candidate] as usize * nodes..][..nodes];
            *cost = row_cost(&rows[row_of[candidate] as usize * nodes..][..nodes], weights);
        }
    });
}

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
