//! The matrix of the Sobolev term on processors: a sum of products of an axis' matrices, along x, then y, then z.

use super::lattice::{AxisTables, Elements};
use super::projection::Problems;
use super::state::Smoothness;

/// Rows of the three matrices: of values, of first and of second derivatives.
type Triple<T> = [T; 3];

impl Problems<'_> {
    /// `out = K p` for every problem and component that takes part.
    pub fn smooth(
        self,
        weights: &Smoothness,
        begin: impl Fn(usize) -> usize + Sync,
        input: &[f32],
        out: &mut [f32],
    ) {
        let Self { cpu, elements, takes } = self;
        let [cx, cy, cz] = elements.controls();
        let (d, per_unit) = (elements.components(), cx * cy * cz);
        let all = elements.problems * d * per_unit;
        let axes: Vec<AxisTables<'_>> = (0..elements.axes()).map(|a| elements.axis(a)).collect();
        let mut x: Triple<Vec<f32>> = std::array::from_fn(|_| vec![0.0; all]);
        cpu.split_rows(x.each_mut().map(Vec::as_mut_slice), cx, 18 * all, |row, sums| {
            let (unit, row) = (row / (cy * cz), row % (cy * cz));
            if takes(unit / d) {
                rows_along_x(&axes[0], &input[begin(unit) + row * cx..][..cx], sums);
            }
        });
        let y = |(slab, ky): (usize, usize), sums: Triple<&mut [f32]>| {
            let rows = |j: usize| x.each_ref().map(|x| &x[(slab * cy + j) * cx..(slab * cy + j + 1) * cx]);
            rows_across_y(&axes[1], weights, ky, rows, sums);
        };
        if elements.axes() == 2 {
            return cpu.split_rows([out], cx, 18 * all, |row, [sums]| {
                if takes(row / cy / d) {
                    y((row / cy, row % cy), [sums, &mut [], &mut []]);
                }
            });
        }
        let mut planes: Triple<Vec<f32>> = std::array::from_fn(|_| vec![0.0; all]);
        cpu.split_rows(planes.each_mut().map(Vec::as_mut_slice), cx, 18 * all, |row, sums| {
            if takes(row / (cy * cz) / d) {
                y((row / cy, row % cy), sums);
            }
        });
        let plane = cx * cy;
        cpu.split_rows([out], plane, 18 * all, |index, [sums]| {
            let (unit, kz) = (index / cz, index % cz);
            if takes(unit / d) {
                let planes = |j: usize| {
                    let at = (unit * cz + j % cz) * plane;
                    planes.each_ref().map(|p| &p[at..at + plane])
                };
                planes_along_z(&axes[2], kz, planes, sums);
            }
        });
    }
}

fn planes_along_z<'a>(
    axis: &AxisTables<'_>,
    kz: usize,
    planes: impl Fn(usize) -> Triple<&'a [f32]>,
    sums: &mut [f32],
) {
    let (first, entries) = axis.neighbours(kz);
    sums.fill(0.0);
    for (j, [wm, ws, wb]) in (first..).zip(entries) {
        let [m, s, b] = planes(j);
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum = *sum + wm * m[k] + ws * s[k] + wb * b[k];
        }
    }
}

fn rows_along_x(axis: &AxisTables<'_>, input: &[f32], sums: Triple<&mut [f32]>) {
    let [m, s, b] = sums;
    for k in 0..input.len() {
        let (first, entries) = axis.neighbours(k);
        let mut sums = [0.0f32; 3];
        for (p, entries) in input[first..].iter().zip(entries) {
            sums.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += entry * p);
        }
        [m[k], s[k], b[k]] = sums;
    }
}

/// The factors of the matrices of values, of first and of second derivatives along z; in 2-D only the first counts.
fn rows_across_y<'a>(
    axis: &AxisTables<'_>,
    weights: &Smoothness,
    ky: usize,
    rows: impl Fn(usize) -> Triple<&'a [f32]>,
    sums: Triple<&mut [f32]>,
) {
    let (first, entries) = axis.neighbours(ky);
    let Smoothness { alpha, beta, mixed } = *weights;
    let [tm, ts, tb] = sums;
    [&mut *tm, ts, tb].into_iter().for_each(|sums| sums.fill(0.0));
    for (j, [wm, ws, wb]) in (first..).zip(entries) {
        let [m, s, b] = rows(j);
        for (k, sum) in tm.iter_mut().enumerate() {
            *sum = *sum
                + wm * (alpha[0] * s[k] + beta[0] * b[k])
                + ws * (alpha[1] * m[k] + mixed[0] * s[k])
                + wb * (beta[1] * m[k]);
        }
        for (k, sum) in ts.iter_mut().enumerate() {
            *sum = *sum + wm * (alpha[2] * m[k] + mixed[1] * s[k]) + ws * (mixed[2] * m[k]);
        }
        for (k, sum) in tb.iter_mut().enumerate() {
            *sum += wm * (beta[2] * m[k]);
        }
    }
}

/// The matrix' diagonal at a control point.
pub(super) fn diagonal(elements: &Elements, weights: &Smoothness, at: [usize; 3]) -> f32 {
    let own = |a: usize| elements.axis(a).entries(at[a], 2 + at[a] % 2);
    let Smoothness { alpha, beta, mixed } = *weights;
    let ([m, s, b], [wm, ws, wb]) = (own(0), own(1));
    let tm = wm * (alpha[0] * s + beta[0] * b) + ws * (alpha[1] * m + mixed[0] * s) + wb * (beta[1] * m);
    if elements.axes() == 2 {
        return tm;
    }
    let [zm, zs, zb] = own(2);
    let ts = wm * (alpha[2] * m + mixed[1] * s) + ws * (mixed[2] * m);
    let tb = wm * (beta[2] * m);
    zm * tm + zs * ts + zb * tb
}
