//! Sums in the order of a GPU's workgroups (`sum.wgsl`), for runs that depend on a sum: every device must compute the same
//! bits.

use std::ops::Range;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Cpu, reduction_groups};

/// Number of threads of a workgroup.
pub(crate) const GROUP: usize = 256;

/// The sums that the workgroups of a reduction over `count` items leave: thread `t` of all `T` adds up the items `t, t + T, t +
/// 2 T, …`, and a workgroup adds up its threads' sums by halves.
///
/// `add(items, sums)` adds `N` values of each item to the sums in the same place; `cost` is the cost of an item, in units of
/// copying one.
pub(crate) fn group_sums<const N: usize>(
    cpu: &Cpu,
    count: usize,
    cost: usize,
    add: impl Fn(Range<usize>, [&mut [f32]; N]) + Sync,
) -> [Vec<f32>; N] {
    let threads = GROUP * reduction_groups(count);
    let mut lanes = vec![0.0; N * threads];
    let shared = Shared::new(&mut lanes);
    cpu.split(threads, cost * count, |range| {
        for start in (0..count).step_by(threads) {
            let items = start + range.start..(start + range.end).min(count);
            if !items.is_empty() {
                let first = |k: usize| k * threads + range.start;
                // SAFETY: ranges are disjoint.
                let sums = |k: usize| unsafe { shared.get_mut(first(k)..first(k) + items.len()) };
                add(items.clone(), std::array::from_fn(sums));
            }
        }
    });
    let mut columns = lanes.chunks_exact_mut(threads);
    std::array::from_fn(|_| {
        let column = columns.next().unwrap_or_default();
        column.chunks_exact_mut(GROUP).map(sum_by_halves).collect()
    })
}

/// The totals of [`group_sums`].
pub(crate) fn group_totals<const N: usize>(
    cpu: &Cpu,
    count: usize,
    cost: usize,
    add: impl Fn(Range<usize>, [&mut [f32]; N]) + Sync,
) -> [f64; N] {
    group_sums(cpu, count, cost, add).map(|groups| groups.into_iter().map(f64::from).sum())
}

/// The sum of a workgroup's lanes, in the order of `workgroup_sum` in `sum.wgsl`.
pub(crate) fn sum_by_halves(lanes: &mut [f32]) -> f32 {
    let mut half = lanes.len() / 2;
    while half > 0 {
        let (low, high) = lanes.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(l, &mut h)| *l += h);
        half /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_counts_once_for_any_number_of_threads() {
        for count in [1, 255, 1000, 300_000] {
            let total = |threads| -> f32 {
                let cpu = Cpu::new(threads).unwrap();
                let add = |items: Range<usize>, [sums]: [&mut [f32]; 1]| {
                    items.zip(sums).for_each(|(i, s)| *s += (i % 7) as f32);
                };
                group_sums(&cpu, count, 1, add)[0].iter().sum()
            };
            let expected: usize = (0..count).map(|i| i % 7).sum();
            assert_eq!([total(1), total(3)], [expected as f32; 2]);
        }
    }
}
