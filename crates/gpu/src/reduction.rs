//! Reductions on a GPU: every workgroup writes partial sums, and the host adds them in a fixed order.

/// Workgroups of a reduction at most: its sums end on the host.
const MOST_PARTIALS: usize = 512;

/// Workgroups of a reduction over `count` items.
pub fn reduction_groups(count: usize) -> usize {
    count.div_ceil(256).clamp(1, MOST_PARTIALS)
}

/// Sums `N` columns of partial sums, row after row, in `f64`: what every reduction of a GPU ends with.
pub fn sum_rows<const N: usize>(partials: &[f32]) -> [f64; N] {
    let mut total = [0.0; N];
    for row in partials.chunks_exact(N) {
        total.iter_mut().zip(row).for_each(|(t, &p)| *t += f64::from(p));
    }
    total
}
