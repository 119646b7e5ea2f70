//! Reductions on a GPU: every workgroup writes partial sums, and the host adds them in a fixed order.

/// Maximal number of workgroups of a reduction: each leaves a row of partial sums to be added on the host.
const MOST_PARTIALS: usize = 512;

/// Number of workgroups of a reduction over `count` items.
pub fn reduction_groups(count: usize) -> usize {
    count.div_ceil(256).clamp(1, MOST_PARTIALS)
}

/// Sums `N` columns of partial sums, row after row, in `f64`: the last step of every reduction on a GPU.
pub fn sum_rows<const N: usize>(partials: &[f32]) -> [f64; N] {
    let mut total = [0.0; N];
    for row in partials.chunks_exact(N) {
        total.iter_mut().zip(row).for_each(|(t, &p)| *t += f64::from(p));
    }
    total
}
