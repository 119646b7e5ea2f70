//! Processor text of [`super::Median`]: the plain one.

use super::cut;
use crate::shared::lanes::{LANES, Lanes, Pack, starts};
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::Shape;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

pub(super) fn plain(cpu: &Cpu, shape: Shape, radius: usize, input: &[f32], out: &mut [f32]) {
    let [nx, ny, nz] = shape.size;
    let out = Shared::new(out);
    cpu.split(shape.rows(), 16 * shape.len(), |rows| {
        let mut lines: Vec<&[f32]> = Vec::new();
        let mut columns: [Vec<f32>; 5] = std::array::from_fn(|_| vec![0.0; nx]);
        let mut lanes = Vec::new();
        for row in rows {
            let (y, z) = (row % ny, row / ny);
            let zs = if shape.components() == 3 { cut(z, radius, nz) } else { 0..1 };
            lines.clear();
            lines.extend(
                zs.flat_map(|z| cut(y, radius, ny).map(move |y| (z * ny + y) * nx))
                    .map(|s| &input[s..][..nx]),
            );
            // SAFETY: every row is written by one thread.
            let out = unsafe { out.get_mut(row * nx..(row + 1) * nx) };
            let inner = radius.min(nx)..nx.saturating_sub(radius).max(radius.min(nx));
            for x in (0..inner.start).chain(inner.end..nx) {
                let mut values: Vec<f32> =
                    lines.iter().flat_map(|l| l[cut(x, radius, nx)].iter().copied()).collect();
                out[x] = middle(&mut values);
            }
            match lines[..].try_into() {
                Ok(lines) if radius == 2 && inner.len() >= LANES => {
                    sort_columns(lines, &mut columns);
                    middles_of_sorted_columns(&columns, &mut out[inner]);
                }
                _ => any_window(&lines, radius, &mut lanes, inner, out),
            }
        }
    });
}

/// Windows of any size, [`LANES`] pixels at a time.
fn any_window(
    lines: &[&[f32]],
    radius: usize,
    lanes: &mut Vec<[f32; LANES]>,
    inner: Range<usize>,
    out: &mut [f32],
) {
    let mut x = inner.start;
    while x < inner.end {
        let width = LANES.min(inner.end - x);
        lanes.clear();
        for line in lines {
            for offset in 0..=2 * radius {
                let from = x + offset - radius;
                let mut lane = [0.0; LANES];
                lane[..width].copy_from_slice(&line[from..from + width]);
                lanes.push(lane);
            }
        }
        out[x..x + width].copy_from_slice(&middle_of_lanes(lanes)[..width]);
        x += width;
    }
}

/// The five values above each other at every `x`, in their order: windows beside each other share their columns.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn sort_columns(lines: [&[f32]; 5], columns: &mut [Vec<f32>; 5]) {
    for x in starts::<Lanes>(lines[0].len()) {
        // SAFETY: `starts` stays inside the row.
        let mut column = lines.map(|line| unsafe { Lanes::load(line, x) });
        sort_five(&mut column);
        for (line, lanes) in columns.iter_mut().zip(column) {
            // SAFETY: as above.
            unsafe { lanes.store(line, x) };
        }
    }
}

/// Medians of 5 × 5 windows over columns in their order: `out` begins two pixels after the columns.
///
/// Once the values of each rank are in their order too, the `(i, j)`-th has `(i + 1) (j + 1) − 1` values that are not
/// greater and `(5 − i) (5 − j) − 1` that are not less; twelve cannot be the median, six on each side, and it is that of the others.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn middles_of_sorted_columns(columns: &[Vec<f32>; 5], out: &mut [f32]) {
    for x in starts::<Lanes>(out.len()) {
        let rank = |i: usize| {
            // SAFETY: `starts` stays inside `out`, which is four shorter than the columns.
            let mut values = std::array::from_fn(|j| unsafe { Lanes::load(&columns[i], x + j) });
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
        unsafe { left[6].store(out, x) };
    }
}

/// Nine exchanges that put five values in their order, lane by lane.
#[inline(always)]
fn sort_five(values: &mut [Lanes; 5]) {
    for (low, high) in [(0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)] {
        exchange(values, low, high);
    }
}

/// Puts the smaller value of each lane at `low`, the greater at `high`.
#[inline(always)]
fn exchange(values: &mut [Lanes], low: usize, high: usize) {
    let (a, b) = (values[low].0, values[high].0);
    values[low] = Lanes(std::array::from_fn(|k| if a[k] < b[k] { a[k] } else { b[k] }));
    values[high] = Lanes(std::array::from_fn(|k| if a[k] < b[k] { b[k] } else { a[k] }));
}

/// The middle value; of an even number the mean of the middle two, so that mirrored fields have mirrored medians.
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

/// The median of each lane, by forgetting: of `k = n/2 + 2` values the least and the greatest cannot be the median, so
/// both are dropped and the next value is let in, until one is left. Only minima and maxima: every lane takes the same path.
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
            order(values, first, i);
        }
        for i in first + 1..last - 1 {
            order(values, i, last - 1);
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

/// [`exchange`] of lanes in memory.
#[inline(always)]
fn order(values: &mut [[f32; LANES]], low: usize, high: usize) {
    let (a, b) = (values[low], values[high]);
    for k in 0..LANES {
        values[low][k] = if a[k] < b[k] { a[k] } else { b[k] };
        values[high][k] = if a[k] < b[k] { b[k] } else { a[k] };
    }
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
        let mut columns: [Vec<f32>; 5] = std::array::from_fn(|_| vec![0.0; nx]);
        sort_columns(std::array::from_fn(|y| &lines[y][..]), &mut columns);
        let mut found = vec![0.0; inner];
        middles_of_sorted_columns(&columns, &mut found);
        for (x, found) in found.into_iter().enumerate() {
            let mut window: Vec<f32> = lines.iter().flat_map(|l| l[x..x + 5].iter().copied()).collect();
            assert_eq!(found, middle(&mut window), "{x}");
        }
    }
}
