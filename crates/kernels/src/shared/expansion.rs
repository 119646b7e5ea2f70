//! The estimate of a coarser level on the next finer level: `expansion.wgsl` does the same in the same order.

use crate::shared::lanes::LANES;

/// A coarser level with its samples, NaN where they are unknown.
#[derive(Clone, Copy)]
pub(crate) struct Coarser<'a> {
    pub size: [usize; 2],
    pub samples: &'a [f32],
}

/// Number of samples for half a block: the half and one sample after it.
const TAKEN: usize = LANES / 2 + 1;

/// Means of samples and of those `STEP` after them, on two rows.
#[inline(always)]
fn means<const STEP: usize>(values: &[[f32; TAKEN]; 2], counts: &[[f32; TAKEN]; 2]) -> [f32; LANES / 2] {
    let mut out = [f32::NAN; LANES / 2];
    for k in 0..LANES / 2 {
        let four = |of: &[[f32; TAKEN]; 2]| of[0][k] + of[0][k + STEP] + of[1][k] + of[1][k + STEP];
        let (sum, count) = (four(values), four(counts));
        let mean = (sum + sum) / count;
        out[k] = if count < 2.0 { f32::NAN } else { mean };
    }
    out
}

/// The numbers of both arrays interleaved, written out: a compiler would make gathers of a loop.
#[inline(always)]
fn interleaved(a: [f32; LANES / 2], b: [f32; LANES / 2]) -> [f32; LANES] {
    [a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3], a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7]]
}

impl Coarser<'_> {
    /// The estimate at a pixel of the finer level, in its pixels: twice the mean of the valid ones among four neighbours; NaN
    /// if fewer than two are valid.
    #[inline(always)]
    pub fn at(&self, x: usize, y: usize) -> f32 {
        let [nx, ny] = self.size;
        let (low_x, low_y) = (x / 2, y / 2);
        let (high_x, high_y) = ((low_x + x % 2).min(nx - 1), (low_y + y % 2).min(ny - 1));
        let four = [(low_x, low_y), (high_x, low_y), (low_x, high_y), (high_x, high_y)];
        let (mut sum, mut count) = (0.0, 0.0);
        for (x, y) in four {
            let sample = self.samples[y * nx + x];
            sum += if sample.is_nan() { 0.0 } else { sample };
            count += if sample.is_nan() { 0.0 } else { 1.0 };
        }
        if count < 2.0 { f32::NAN } else { (sum + sum) / count }
    }
    /// The estimates of [`Self::at`] for sixteen pixels of a row, the first of them even; pixels beyond the row repeat the last
    /// coarser sample.
    #[inline(always)]
    pub fn block(&self, first: usize, y: usize) -> [f32; LANES] {
        let [nx, ny] = self.size;
        let rows = [y / 2, (y / 2 + y % 2).min(ny - 1)];
        let (mut values, mut counts) = ([[0.0; TAKEN]; 2], [[0.0; TAKEN]; 2]);
        for (r, y) in rows.into_iter().enumerate() {
            let row = &self.samples[y * nx + first / 2..(y + 1) * nx];
            let taken = row.first_chunk::<TAKEN>().copied().unwrap_or_else(|| {
                let mut short = [row[row.len() - 1]; TAKEN];
                short[..row.len()].copy_from_slice(row);
                short
            });
            for k in 0..TAKEN {
                values[r][k] = if taken[k].is_nan() { 0.0 } else { taken[k] };
                counts[r][k] = if taken[k].is_nan() { 0.0 } else { 1.0 };
            }
        }
        // Even pixels lie on a coarser one, odd ones between two.
        interleaved(means::<0>(&values, &counts), means::<1>(&values, &counts))
    }
}
