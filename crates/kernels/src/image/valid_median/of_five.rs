//! Medians of 5×5 pixels, sixteen windows at a time: exchanges that are the same for all of them.
//!
//! Loops over windows have no branches and a fixed length, so that every exchange is one of vectors in registers.

use crate::shared::lanes::{LANES, Lanes, each};
use multiversion::multiversion;

/// Number of lines of a window.
pub(super) const SIDE: usize = 5;
/// Number of samples of a line that sixteen windows cover.
const SEEN: usize = LANES + SIDE - 1;

/// Stands for an unknown sample, with either sign.
const HUGE: f32 = f32::MAX;

type Values = [f32; LANES];
/// The lines of samples that sixteen windows cover.
type Seen = [[f32; SEEN]; SIDE];

/// Medians of a row; `lines` are five padded ones of a width, NaN where unknown or outside, and `sorted` is as long.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn medians(lines: &[f32], sorted: &mut [f32], width: usize, rows_inside: usize, out: &mut [f32]) {
    sort_columns(lines, sorted, width);
    let nx = out.len();
    for x in (0..nx).step_by(LANES) {
        let here = seen(lines, width, x);
        let found = if is_known(here.as_flattened()) {
            of_known(&seen(sorted, width, x))
        } else {
            let columns = |x: usize| (x + SIDE / 2 + 1).min(nx) - x.saturating_sub(SIDE / 2);
            let inside = each(|k| (columns((x + k).min(nx - 1)) * rows_inside) as i32);
            of_what_is_known(&here, &inside)
        };
        Lanes(found).store_what_fits(out, x);
    }
}

#[inline(always)]
fn seen(lines: &[f32], width: usize, x: usize) -> Seen {
    let mut seen = [[0.0; SEEN]; SIDE];
    for (seen, line) in seen.iter_mut().zip(lines.chunks_exact(width)) {
        seen.copy_from_slice(&line[x..x + SEEN]);
    }
    seen
}

#[inline(always)]
pub(super) fn is_known(samples: &[f32]) -> bool {
    let mut unknown = 0;
    for sample in samples {
        unknown |= i32::from(sample.is_nan());
    }
    unknown == 0
}

/// Sorts the samples above each other in every column; unknown samples end anywhere.
#[inline(always)]
fn sort_columns(lines: &[f32], sorted: &mut [f32], width: usize) {
    for x in (0..width).step_by(LANES) {
        // The last block overlaps the one before.
        let x = x.min(width - LANES);
        let mut block = [[0.0; LANES]; SIDE];
        for (block, line) in block.iter_mut().zip(lines.chunks_exact(width)) {
            block.copy_from_slice(&line[x..x + LANES]);
        }
        let [mut a, mut b, mut c, mut d, mut e] = block;
        for k in 0..LANES {
            [a[k], b[k], c[k], d[k], e[k]] = sort_five([a[k], b[k], c[k], d[k], e[k]]);
        }
        for (line, block) in sorted.chunks_exact_mut(width).zip([a, b, c, d, e]) {
            line[x..x + LANES].copy_from_slice(&block);
        }
    }
}

/// Medians of windows whose samples are all known and whose columns are sorted.
#[inline(always)]
fn of_known(sorted: &Seen) -> Values {
    let [a, b, c, d, e] = sorted;
    let mut out = [0.0; LANES];
    for k in 0..LANES {
        let row = |line: &[f32; SEEN]| [line[k], line[k + 1], line[k + 2], line[k + 3], line[k + 4]];
        out[k] = of_sorted_columns([row(a), row(b), row(c), row(d), row(e)]);
    }
    out
}

/// Medians of windows of which the majority of the samples inside is known: unknown samples count alternately as the smallest
/// and the greatest, so the middle stays where it is. For an even number of known samples one more counts as the greatest, then
/// as the smallest.
#[inline(always)]
fn of_what_is_known(seen: &Seen, inside: &[i32; LANES]) -> Values {
    let [mut lower, mut upper] = [[0.0; LANES]; 2];
    let mut known = [0; LANES];
    for k in 0..LANES {
        let (mut low, mut high) = ([[0.0; SIDE]; SIDE], [[0.0; SIDE]; SIDE]);
        let mut unknown = 0;
        for dx in 0..SIDE {
            for dy in 0..SIDE {
                let sample = seen[dy][k + dx];
                let fill = if unknown & 1 == 0 { HUGE } else { -HUGE };
                low[dx][dy] = if sample.is_nan() { fill } else { sample };
                high[dx][dy] = if sample.is_nan() { -fill } else { sample };
                unknown += i32::from(sample.is_nan());
            }
        }
        known[k] = (SIDE * SIDE) as i32 - unknown;
        lower[k] = of_columns(low);
        upper[k] = of_columns(high);
    }
    each(|k| {
        let middle = if known[k] & 1 == 1 { upper[k] } else { 0.5 * (lower[k] + upper[k]) };
        if 2 * known[k] > inside[k] { middle } else { f32::NAN }
    })
}

#[inline(always)]
fn of_columns([a, b, c, d, e]: [[f32; SIDE]; SIDE]) -> f32 {
    let (a, b, c, d, e) = (sort_five(a), sort_five(b), sort_five(c), sort_five(d), sort_five(e));
    let row = |r: usize| [a[r], b[r], c[r], d[r], e[r]];
    of_sorted_columns([row(0), row(1), row(2), row(3), row(4)])
}

/// The median of a window whose columns are sorted: rows are sorted too, then six values are known to lie below the median and
/// six above; among the thirteen in between, the least and the greatest of eight are dropped and one is added, again and again.
#[inline(always)]
fn of_sorted_columns([a, b, c, d, e]: [[f32; SIDE]; SIDE]) -> f32 {
    let (a, b, c, d, e) = (sort_five(a), sort_five(b), sort_five(c), sort_five(d), sort_five(e));
    let mut left = [a[3], a[4], b[2], b[3], b[4], c[1], c[2], c[3], d[0], d[1], d[2], e[0], e[1]];
    // The least is the smaller one of a pair, and so on.
    exchange(&mut left, [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (4, 6), (1, 3), (5, 7), (3, 7), (0, 4)]);
    exchange(&mut left, [(1, 2), (3, 4), (5, 6), (1, 3), (5, 8), (2, 4), (6, 8), (4, 8), (1, 5)]);
    exchange(&mut left, [(2, 3), (4, 5), (6, 9), (2, 4), (3, 5), (5, 9), (2, 6)]);
    exchange(&mut left, [(3, 4), (5, 6), (3, 5), (4, 6), (3, 10), (6, 10)]);
    exchange(&mut left, [(4, 5), (6, 11), (4, 6), (5, 11)]);
    exchange(&mut left, [(6, 5), (5, 12), (6, 5)]);
    left[5]
}

/// Sorts five values by nine exchanges.
#[inline(always)]
fn sort_five(mut values: [f32; SIDE]) -> [f32; SIDE] {
    exchange(&mut values, [(0, 1), (3, 4), (2, 4), (2, 3), (1, 4), (0, 3), (0, 2), (1, 3), (1, 2)]);
    values
}

/// Puts the smaller value of each pair of places at the first of them, the greater at the second.
#[inline(always)]
fn exchange<const N: usize, const P: usize>(values: &mut [f32; N], pairs: [(usize, usize); P]) {
    for (low, high) in pairs {
        let (a, b) = (values[low], values[high]);
        values[low] = if b < a { b } else { a };
        values[high] = if b < a { a } else { b };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The median by sorting the known samples; for an even number the mean of the middle two.
    fn by_sorting(seen: &Seen, k: usize, inside: i32) -> f32 {
        let mut known: Vec<f32> =
            seen.iter().flat_map(|line| &line[k..k + SIDE]).copied().filter(|v| !v.is_nan()).collect();
        known.sort_by(f32::total_cmp);
        let n = known.len();
        match 2 * n as i32 > inside {
            true if n % 2 == 1 => known[n / 2],
            true => 0.5 * (known[n / 2 - 1] + known[n / 2]),
            false => f32::NAN,
        }
    }

    #[test]
    fn networks_sort() {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        for trial in 0..400 {
            // From no unknown sample to nearly all; few values, so that many are equal, or many.
            let (unknown, values) = (trial % 9, [5, 1 << 20][trial % 2]);
            let seen: Seen = std::array::from_fn(|_| {
                std::array::from_fn(|_| {
                    if next() % 8 < unknown as u32 { f32::NAN } else { (next() % values) as f32 - 3.0 }
                })
            });
            let inside: [i32; LANES] = std::array::from_fn(|k| if k % 2 == 0 { 25 } else { 9 });
            let found = of_what_is_known(&seen, &inside);
            for k in 0..LANES {
                let expected = by_sorting(&seen, k, inside[k]);
                assert!(
                    found[k] == expected || (found[k].is_nan() && expected.is_nan()),
                    "{} {expected}",
                    found[k]
                );
            }
            if is_known(seen.as_flattened()) {
                let lines: Vec<f32> = seen.concat();
                let mut sorted = vec![0.0; lines.len()];
                sort_columns(&lines, &mut sorted, SEEN);
                let all = of_known(&std::array::from_fn(|r| std::array::from_fn(|x| sorted[r * SEEN + x])));
                assert_eq!(all, found);
            }
        }
    }
}
