//! Processor text of [`super::Median`]: the plain median.

use crate::shared::lanes::{LANES, Lanes, Pack, ordered, starts};
use crate::shared::rows::cut;
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::Shape;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::with_scratch;

pub(super) fn plain(cpu: &Cpu, shape: Shape, radius: usize, input: &[f32], out: &mut [f32]) {
    let [nx, ny, nz] = shape.size;
    cpu.split_rows([out], nx, 16 * shape.len(), |row, [out]| {
        let (y, z) = (row % ny, row / ny);
        let zs = if shape.components() == 3 { cut(z, radius, nz) } else { 0..1 };
        let starts = zs.flat_map(|z| cut(y, radius, ny).map(move |y| (z * ny + y) * nx));
        let lines: Vec<&[f32]> = starts.map(|start| &input[start..][..nx]).collect();
        let inner = radius.min(nx)..nx.saturating_sub(radius).max(radius.min(nx));
        for x in (0..inner.start).chain(inner.end..nx) {
            let mut values: Vec<f32> = lines.iter().flat_map(|l| &l[cut(x, radius, nx)]).copied().collect();
            out[x] = middle(&mut values);
        }
        match lines[..].try_into() {
            Ok(lines) if radius == 2 && inner.len() >= LANES => with_scratch(5 * nx, |columns| {
                sort_columns(lines, columns);
                middles_of_sorted_columns(columns, &mut out[inner]);
            }),
            _ => any_window(&lines, radius, inner, out),
        }
    });
}

/// Windows of any size, [`LANES`] pixels at a time.
fn any_window(lines: &[&[f32]], radius: usize, inner: Range<usize>, out: &mut [f32]) {
    let mut lanes = Vec::new();
    for x in inner.clone().step_by(LANES) {
        let end = inner.end.min(x + LANES);
        lanes.clear();
        for line in lines {
            let seen =
                |offset: usize| Lanes::load_or_zero(&line[..end + offset - radius], x + offset - radius).0;
            lanes.extend((0..=2 * radius).map(seen));
        }
        Lanes(middle_of_lanes(&mut lanes)).store_what_fits(&mut out[..end], x);
    }
}

/// Sorts the five values above each other at every `x`: windows beside each other share their columns.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn sort_columns(lines: [&[f32]; 5], columns: &mut [f32]) {
    let nx = lines[0].len();
    for x in starts::<Lanes>(nx) {
        // SAFETY: `starts` stays inside the row.
        let mut column = lines.map(|line| unsafe { Lanes::load(line, x).0 });
        sort_five(&mut column);
        for (line, lanes) in columns.chunks_exact_mut(nx).zip(column) {
            // SAFETY: as above.
            unsafe { Lanes(lanes).store(line, x) };
        }
    }
}

/// Medians of 5 × 5 windows over sorted columns: `out` begins two pixels after the columns.
///
/// Once the values of each rank are sorted too, the `(i, j)`-th has `(i + 1) (j + 1) − 1` values that are not greater and `(5 −
/// i) (5 − j) − 1` that are not less; so twelve values, six on each side, cannot be the median, which is the median of the
/// others.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn middles_of_sorted_columns(columns: &[f32], out: &mut [f32]) {
    let nx = out.len() + 4;
    for x in starts::<Lanes>(out.len()) {
        let rank = |i: usize| {
            // SAFETY: `starts` stays inside `out`, which is four shorter than each of the five rows in `columns`.
            let mut values = std::array::from_fn(|j| unsafe { Lanes::load(&columns[i * nx..], x + j).0 });
            sort_five(&mut values);
            values
        };
        let [_, _, _, a, b] = rank(0);
        let [_, _, c, d, e] = rank(1);
        let [_, f, g, h, _] = rank(2);
        let [i, j, k, _, _] = rank(3);
        let [l, m, _, _, _] = rank(4);
        let mut left = [a, b, c, d, e, f, g, h, i, j, k, l, m];
        // As `middle_of_lanes` forgets, with every index known.
        for (first, last, next) in [(0, 7, 8), (1, 7, 9), (2, 7, 10), (3, 7, 11), (4, 7, 12), (5, 7, 12)] {
            for i in first + 1..=last {
                exchange(&mut left, first, i);
            }
            for i in first + 1..last {
                exchange(&mut left, i, last);
            }
            left[last] = left[next];
        }
        // SAFETY: `starts` stays inside `out`.
        unsafe { Lanes(left[6]).store(out, x) };
    }
}

/// Sorts five values lane by lane, by nine exchanges.
#[inline(always)]
fn sort_five(values: &mut [[f32; LANES]; 5]) {
    for (low, high) in [(0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)] {
        exchange(values, low, high);
    }
}

/// Puts the smaller value of each lane at `low`, the greater at `high`.
#[inline(always)]
fn exchange(values: &mut [[f32; LANES]], low: usize, high: usize) {
    // Of two alike the one from `high` counts as the smaller one.
    (values[low], values[high]) = ordered(values[high], values[low]);
}

/// The middle value; for an even number of values the mean of the middle two, so that mirrored fields have mirrored medians.
fn middle(values: &mut [f32]) -> f32 {
    let n = values.len();
    let (below, upper, _) = values.select_nth_unstable_by(n / 2, f32::total_cmp);
    let upper = *upper;
    if n % 2 == 1 {
        return upper;
    }
    let lower = below.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    0.5 * (lower + upper)
}

/// The median of each lane, by dropping: the least and the greatest of `k = n/2 + 2` values cannot be the median, so both are
/// dropped and the next value is added, until one is left. It takes only minima and maxima, so every lane takes the same path.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn middle_of_lanes(values: &mut [[f32; LANES]]) -> [f32; LANES] {
    let n = values.len();
    if n.is_multiple_of(2) {
        // A window cut at the border may be even: the upper middle, as the scalar form takes it.
        let mut out = [0.0; LANES];
        for (lane, out) in out.iter_mut().enumerate() {
            let mut column: Vec<f32> = values.iter().map(|v| v[lane]).collect();
            *out = middle(&mut column);
        }
        return out;
    }
    let mut first = 0;
    let mut last = (n / 2 + 2).min(n);
    while last - first > 1 {
        // Least to the front, greatest to the back of the active range.
        for i in first + 1..last {
            exchange(values, first, i);
        }
        for i in first + 1..last - 1 {
            exchange(values, i, last - 1);
        }
        // Forget both; let the next one in, in the greatest one's place.
        let seen = last + first;
        first += 1;
        if seen < n {
            values[last - 1] = values[seen];
        } else {
            last -= 1;
        }
    }
    values[first]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgetting_finds_the_median() {
        for n in [1, 3, 9, 15, 25, 27] {
            let mut lanes: Vec<[f32; LANES]> =
                (0..n).map(|i| std::array::from_fn(|k| ((i * 37 + k * 11) as f32 * 0.7).sin())).collect();
            let expected: Vec<f32> = (0..LANES)
                .map(|k| {
                    let mut column: Vec<f32> = lanes.iter().map(|l| l[k]).collect();
                    column.sort_by(f32::total_cmp);
                    column[n / 2]
                })
                .collect();
            assert_eq!(middle_of_lanes(&mut lanes).to_vec(), expected, "{n} values");
        }
    }

    #[test]
    fn sorted_columns_find_the_median() {
        let (nx, inner) = (50, 46);
        let lines: Vec<Vec<f32>> =
            (0..5).map(|y| (0..nx).map(|x| ((x * 131 + y * 57) as f32 * 0.37).sin()).collect()).collect();
        let mut columns = vec![0.0; 5 * nx];
        sort_columns(std::array::from_fn(|y| &lines[y][..]), &mut columns);
        let mut found = vec![0.0; inner];
        middles_of_sorted_columns(&columns, &mut found);
        for (x, found) in found.into_iter().enumerate() {
            let mut window: Vec<f32> = lines.iter().flat_map(|l| l[x..x + 5].iter().copied()).collect();
            assert_eq!(found, middle(&mut window), "{x}");
        }
    }
}
