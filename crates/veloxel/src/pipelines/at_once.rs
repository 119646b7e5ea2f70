//! How many pairs run at once on one GPU, each with queues of its own.
//!
//! On one GPU the kernels of a small pair leave most of it free, and those of a large one leave it idle while numbers and fields go to
//! the host: pairs that have a queue each fill it (docs/status/performance.md: 1.2 to 2.8 times as many a second).

/// Pairs, and voxels of all of them together, below which opening a GPU again takes longer than it saves.
pub(crate) const LEAST: (usize, usize) = (8, 1 << 24);
/// Memory of a pair beside that of its method, with the fields that wait to be handed out.
const WITH_FIELDS: f64 = 1.5;
/// Share of the free memory that pairs at once may take: none of them is to be cut into tiles for another.
const MEMORY_SHARE: f64 = 0.5;

/// How many pairs run at once on one GPU, `most` at most, by the voxels of all pairs, the bytes of a method and those that are free.
pub(crate) fn at_once(
    most: usize,
    voxels: usize,
    needed_bytes: Option<u64>,
    free_bytes: Option<u64>,
) -> usize {
    let (Some(needed), Some(free)) = (needed_bytes, free_bytes) else { return 1 };
    if voxels < LEAST.1 {
        return 1;
    }
    let fit = MEMORY_SHARE * free as f64 / (WITH_FIELDS * needed.max(1) as f64);
    (fit as usize).clamp(1, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_pairs_run_at_once_as_work_and_memory_allow() {
        let (much, gib) = (LEAST.1, 1 << 30);
        assert_eq!(at_once(3, much, Some(gib), Some(80 * gib)), 3);
        assert_eq!(at_once(4, much, Some(gib), Some(80 * gib)), 4);
        assert_eq!(at_once(3, much, Some(gib), Some(6 * gib)), 2);
        assert_eq!(at_once(3, much, Some(gib), Some(gib)), 1);
        assert_eq!(at_once(3, much - 1, Some(gib), Some(80 * gib)), 1);
        assert_eq!(at_once(3, much, None, Some(80 * gib)), 1);
        assert_eq!(at_once(3, much, Some(gib), None), 1);
    }
}
