//! Reductions on a GPU: every workgroup writes partial sums, and the host adds them in a fixed order.

/// Number of workgroups of a reduction that a device is busy with; each leaves a row of partial sums to be added on the host.
const ENOUGH_PARTIALS: usize = 512;
/// Maximal number of workgroups of a reduction, over volumes from 512³ on: enough for several GPUs.
const MOST_PARTIALS: usize = 4096;
/// Number of items of a workgroup where there are many.
const ITEMS_EACH: usize = 1 << 14;

/// Number of workgroups of a reduction over `count` items.
pub fn reduction_groups(count: usize) -> usize {
    count.div_ceil(256).clamp(1, (count / ITEMS_EACH).clamp(ENOUGH_PARTIALS, MOST_PARTIALS))
}

/// Sums `N` columns of partial sums, row after row, in `f64`: the last step of every reduction on a GPU.
pub fn sum_rows<const N: usize>(partials: &[f32]) -> [f64; N] {
    let mut total = [0.0; N];
    for row in partials.chunks_exact(N) {
        total.iter_mut().zip(row).for_each(|(t, &p)| *t += f64::from(p));
    }
    total
}
