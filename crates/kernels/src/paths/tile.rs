//! A few rows of sixteen columns of a product, in registers.

use crate::shared::lanes::LANES;

/// The left operand of a tile: the sample of row `i` and term `k` is at `first + i · row_stride + k · step`.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub samples: &'a [f32],
    pub first: usize,
    pub row_stride: usize,
    pub step: usize,
}

/// Takes the minimum with a product: `best[i][l] = min(best[i][l], a[i][k] + b[at(k) + l])` over `depth` terms.
///
/// # Safety
/// Every sample that `a` and `at` name exists.
#[inline(always)]
pub(crate) unsafe fn tile<const M: usize>(
    best: &mut [[f32; LANES]; M],
    depth: usize,
    a: Operand<'_>,
    b: &[f32],
    at: impl Fn(usize) -> usize,
) {
    let mut found = *best;
    for k in 0..depth {
        let begin = at(k);
        debug_assert!(begin + LANES <= b.len());
        // SAFETY: the caller's promise.
        let row: [f32; LANES] = unsafe { b.as_ptr().add(begin).cast::<[f32; LANES]>().read_unaligned() };
        for i in 0..M {
            let place = a.first + i * a.row_stride + k * a.step;
            debug_assert!(place < a.samples.len());
            // SAFETY: the caller's promise.
            let length = unsafe { *a.samples.get_unchecked(place) };
            for l in 0..LANES {
                let sum = length + row[l];
                found[i][l] = if sum < found[i][l] { sum } else { found[i][l] };
            }
        }
    }
    *best = found;
}
