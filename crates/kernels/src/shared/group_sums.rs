//! Sums in the order of a GPU's workgroups (`sum.wgsl`), for runs that depend on a sum: every device must compute the same
//! bits.

use std::ops::Range;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Cpu, reduction_groups};

/// Number of threads of a workgroup.
pub(crate) const GROUP: usize = 256;

/// The items of a workgroup of a reduction over `count` items, `own_items` in `line.wgsl`: an equal stretch of all items, in
/// lines of as many items as a workgroup has threads.
fn own_items(group: usize, groups: usize, count: usize) -> Range<usize> {
    let each = count.div_ceil(GROUP).div_ceil(groups) * GROUP;
    let first = (group * each).min(count);
    first..(first + each).min(count)
}

/// The sums that the workgroups of a reduction over `count` items leave: a workgroup has one stretch of items, of which its
/// thread `t` adds up the items `t, t + 256, t + 512, …`; then it adds up its threads' sums by halves.
///
/// `add(items, sums)` adds `N` values of each item to the sums in the same place; `cost` is the cost of an item, in units of
/// copying one.
pub(crate) fn group_sums<const N: usize>(
    cpu: &Cpu,
    count: usize,
    cost: usize,
    add: impl Fn(Range<usize>, [&mut [f32]; N]) + Sync,
) -> [Vec<f32>; N] {
    let groups = reduction_groups(count);
    let mut sums = vec![0.0; N * groups];
    let shared = Shared::new(&mut sums);
    cpu.split(groups, cost * count, |range| {
        let mut lanes = [[0.0f32; GROUP]; N];
        for group in range {
            lanes.iter_mut().for_each(|lanes| lanes.fill(0.0));
            let own = own_items(group, groups, count);
            for first in own.clone().step_by(GROUP) {
                let items = first..(first + GROUP).min(own.end);
                add(items.clone(), lanes.each_mut().map(|lanes| &mut lanes[..items.len()]));
            }
            for (k, lanes) in lanes.iter_mut().enumerate() {
                // SAFETY: every group is one call's.
                unsafe {
                    shared.get_mut(k * groups + group..k * groups + group + 1)[0] = sum_by_halves(lanes)
                };
            }
        }
    });
    let mut columns = sums.chunks_exact(groups);
    std::array::from_fn(|_| columns.next().unwrap_or_default().to_vec())
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
