//! Costs of patches of pictures, eight codes side by side.
//!
//! The codes of a picture are held with those of even columns of a row before those of odd ones, so that the codes of a patch,
//! every second one of a row, lie side by side.

use super::{MOST_BITS, StackedImage, WORST};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// Half widths of patches of pictures of which a row has seven codes, or eight and one more; the larger one is the margin that is
/// read.
pub(super) const WIDE_REACHES: [usize; 2] = [6, 8];
/// Codes that are compared side by side.
const LANES: usize = 8;
/// Rows between two looks at the limit.
const ROWS_A_LOOK: usize = 3;

/// What the margin of parted codes holds.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum PartedMargin {
    /// What it holds already.
    Stays,
    /// The image's outermost codes: patches of the fixed image are continued so beyond its border.
    Repeats,
}

/// The codes of some pictures, with those of even columns of each row, the margin's included, before those of odd ones.
pub(super) fn parted_codes(
    cpu: &Cpu,
    codes: &[u32],
    images: &[StackedImage],
    margin: PartedMargin,
) -> Vec<u32> {
    let mut out = vec![0; codes.len()];
    let parts = Shared::new(&mut out);
    for image in images {
        let [wide, high] = image.held();
        let within = |at: usize, count: usize| match margin {
            PartedMargin::Stays => at,
            PartedMargin::Repeats => at.clamp(image.margin, image.margin + count - 1),
        };
        cpu.split(high, wide * high, |rows| {
            for row in rows {
                let from = &codes[image.start + within(row, image.size[1]) * wide..][..wide];
                let range = image.start + row * wide..image.start + (row + 1) * wide;
                // SAFETY: every row is written by one thread.
                let (even, odd) = unsafe { parts.get_mut(range) }.split_at_mut(wide.div_ceil(2));
                for (nth, code) in even.iter_mut().enumerate() {
                    *code = from[within(2 * nth, image.size[0])];
                }
                for (nth, code) in odd.iter_mut().enumerate() {
                    *code = from[within(2 * nth + 1, image.size[0])];
                }
            }
        });
    }
    out
}

/// Parted codes from the first one of a wide patch on.
#[derive(Clone, Copy)]
pub(super) struct WidePatch<'a> {
    codes: &'a [u32],
    /// Codes of every two rows of the image.
    two_rows: usize,
}

impl<'a> WidePatch<'a> {
    /// The patch by its middle column and its first row.
    #[inline(always)]
    pub fn at(codes: &'a [u32], image: &StackedImage, [x, y]: [i32; 2]) -> Self {
        let [wide, _] = image.held();
        let column = (x + image.margin as i32) as usize - WIDE_REACHES[1];
        let row = (y + image.margin as i32) as usize;
        let first = image.start + row * wide + column % 2 * wide.div_ceil(2) + column / 2;
        Self { codes: &codes[first..], two_rows: 2 * wide }
    }

    /// The codes of every second row: eight, and one more.
    #[inline(always)]
    fn row(&self, nth: usize) -> &'a [u32; LANES + 1] {
        self.codes[nth * self.two_rows..]
            .first_chunk()
            .expect("a margin should hold the patch's last columns")
    }

    /// The places of a row of which the patch is known to have a later one.
    ///
    /// # Safety
    /// [`Self::row`] of `nth`, or of a later row, returned.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn row_unchecked(&self, nth: usize) -> &'a [u32; LANES + 1] {
        // SAFETY: all rows up to one that is there lie within the codes.
        unsafe { &*self.codes.as_ptr().add(nth * self.two_rows).cast() }
    }
}

/// A way to compare patches, the same bits with each.
pub(super) trait Compare {
    /// The number of bits that differ, at most [`MOST_BITS`] a code, of patches of one of [`WIDE_REACHES`]; [`WORST`] if it is not
    /// below `limit`.
    fn cost(fixed: WidePatch<'_>, moving: WidePatch<'_>, reach: usize, limit: u32) -> u32;
}

/// Code by code.
pub(super) struct Portable;

impl Compare for Portable {
    fn cost(fixed: WidePatch<'_>, moving: WidePatch<'_>, reach: usize, limit: u32) -> u32 {
        let counted = if reach == WIDE_REACHES[1] { 0..LANES + 1 } else { 1..LANES };
        let mut sum = 0;
        for row in 0..=reach {
            let (a, b) = (fixed.row(row), moving.row(row));
            let pairs = a[counted.clone()].iter().zip(&b[counted.clone()]);
            sum += pairs.map(|(a, b)| (a ^ b).count_ones().min(MOST_BITS)).sum::<u32>();
            if row % ROWS_A_LOOK == ROWS_A_LOOK - 1 && sum >= limit {
                return WORST;
            }
        }
        if sum >= limit { WORST } else { sum }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Compare, LANES, MOST_BITS, ROWS_A_LOOK, WIDE_REACHES, WORST, WidePatch};
    use std::arch::x86_64::*;

    /// With AVX2, which this processor has: see [`Avx2::is_there`].
    pub struct Avx2;

    impl Avx2 {
        /// Whether this processor has the instructions.
        pub fn is_there() -> bool {
            std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt")
        }
    }

    impl Compare for Avx2 {
        #[inline(always)]
        fn cost(fixed: WidePatch<'_>, moving: WidePatch<'_>, reach: usize, limit: u32) -> u32 {
            // SAFETY: `patch_match` chooses this type alone where the processor has the instructions.
            unsafe { cost(fixed, moving, reach, limit) }
        }
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn cost(fixed: WidePatch<'_>, moving: WidePatch<'_>, reach: usize, limit: u32) -> u32 {
        match reach == WIDE_REACHES[1] {
            true => cost_of::<{ WIDE_REACHES[1] }>(fixed, moving, limit),
            false => cost_of::<{ WIDE_REACHES[0] }>(fixed, moving, limit),
        }
    }

    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    fn cost_of<const REACH: usize>(fixed: WidePatch<'_>, moving: WidePatch<'_>, limit: u32) -> u32 {
        let is_wide = REACH == WIDE_REACHES[1];
        let counted = _mm256_setr_epi32(if is_wide { -1 } else { 0 }, -1, -1, -1, -1, -1, -1, -1);
        // The last row is there, and so are all before it.
        let _ = (fixed.row(REACH), moving.row(REACH));
        let (mut lanes, mut last) = (_mm256_setzero_si256(), 0);
        for row in 0..=REACH {
            // SAFETY: see above.
            let (a, b) = unsafe { (fixed.row_unchecked(row), moving.row_unchecked(row)) };
            lanes = _mm256_add_epi32(lanes, differing(a, b, counted));
            if is_wide {
                last += (a[LANES] ^ b[LANES]).count_ones().min(MOST_BITS);
            }
            if row % ROWS_A_LOOK == ROWS_A_LOOK - 1 && row < REACH && sum(lanes) + last >= limit {
                return WORST;
            }
        }
        let sum = sum(lanes) + last;
        if sum >= limit { WORST } else { sum }
    }

    /// The number of bits that differ in each of eight codes, at most [`MOST_BITS`]: of halves of bytes by a table, then of bytes.
    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    fn differing(a: &[u32; LANES + 1], b: &[u32; LANES + 1], counted: __m256i) -> __m256i {
        // SAFETY: both hold eight codes.
        let (a, b) =
            unsafe { (_mm256_loadu_si256(a.as_ptr().cast()), _mm256_loadu_si256(b.as_ptr().cast())) };
        let bits = _mm256_and_si256(_mm256_xor_si256(a, b), counted);
        let half = _mm256_set1_epi8(0x0f);
        let table = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(bits, half));
        let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(bits), half));
        let of_pairs = _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1));
        let of_codes = _mm256_madd_epi16(of_pairs, _mm256_set1_epi16(1));
        _mm256_min_epu32(of_codes, _mm256_set1_epi32(MOST_BITS as i32))
    }

    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    fn sum(lanes: __m256i) -> u32 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two))) as u32
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn all_ways_to_compare_count_the_same() {
        use super::*;
        if !Avx2::is_there() {
            return;
        }
        let image = StackedImage { size: [21, 19, 1], start: 2, growth: 0, margin: 8 };
        let word = |i: usize, seed: u32| (i as u32 ^ seed).wrapping_mul(0x9e37_79b9).rotate_left(13);
        let codes = |seed: u32, few: u32| -> Vec<u32> {
            (0..image.start + image.codes()).map(|i| word(i, seed).wrapping_mul(0x85eb_ca6b) & few).collect()
        };
        // Codes of many bits that differ, and of few.
        for few in [u32::MAX, 0x0101_0011] {
            let (fixed, moving) = (codes(1, few), codes(2, few));
            for reach in WIDE_REACHES {
                for at in 0..21 * 19 {
                    let (x, y) = (at % 21, at / 21);
                    let [a, b] = [(&fixed, [x, y]), (&moving, [20 - x, y])]
                        .map(|(codes, [x, y])| WidePatch::at(codes, &image, [x, y - reach as i32]));
                    let all = Portable::cost(a, b, reach, WORST);
                    assert!(all > 0 && all < WORST);
                    for limit in [WORST, all + 1, all, all / 2, 1] {
                        let found = [Portable::cost(a, b, reach, limit), Avx2::cost(a, b, reach, limit)];
                        assert_eq!(found, [if limit > all { all } else { WORST }; 2], "{x} {y} {reach}");
                    }
                }
            }
        }
    }
}
