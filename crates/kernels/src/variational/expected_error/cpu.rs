//! CPU text of [`ExpectedError`].

use super::ExpectedError;
use multiversion::multiversion;
use veloxel_gpu::rows::with_scratch;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn expected_error(cpu: &Cpu, args: ExpectedError<'_>) {
    let (shape, steps, factors) = (args.shape, args.steps(), Factors::of(&args));
    let [nx, ny, nz] = shape.size;
    let displacement: Vec<&[f32]> = args.displacement.iter().map(Buffer::host).collect();
    let tensor: Vec<&[f32]> = args.tensor.iter().map(Buffer::host).collect();
    cpu.split_rows([args.warped_to_error.host_mut()], nx, 8 * shape.len(), |row, [out]| {
        with_scratch(nx, |squares| {
            squares.fill(0.0);
            // Rows from one to the next along y and z.
            let across = [(row % ny, ny, 1, steps[1]), (row / ny, nz, ny, steps[2])];
            for component in &displacement {
                let line = |row: usize| &component[row * nx..][..nx];
                add_along_row(line(row), steps[0], squares);
                for (at, count, stride, step) in across.into_iter().filter(|(.., step)| *step > 0) {
                    let first = row - at * stride + (centre(at, count, step) - 2 * step) * stride;
                    add_squares([0, 1, 2, 3, 4].map(|k| line(first + k * step * stride)), squares);
                }
            }
            let entry = |c: usize| &tensor[c][row * nx..][..nx];
            let tt = entry(tensor.len() - 1);
            match shape.components() {
                2 => add_variance_2d([0, 1, 2].map(entry), [tt, squares], factors, out),
                _ => add_variance_3d([0, 1, 2, 3, 4, 5].map(entry), [tt, squares], factors, out),
            }
        });
    });
}

/// What the terms are multiplied by, and α'.
#[derive(Clone, Copy)]
struct Factors {
    gain: f32,
    determinacy: f32,
    share: f32,
    per_pooled: f32,
    outside2: f32,
}

impl Factors {
    fn of(args: &ExpectedError<'_>) -> Self {
        Self {
            gain: args.gain(),
            determinacy: args.determinacy,
            share: args.share(),
            per_pooled: args.per_pooled(),
            outside2: args.outside_edges * args.outside_edges,
        }
    }

    /// From tt, the minors and the determinant of J + α' I.
    #[inline(always)]
    fn variance(self, tt: f32, minors: f32, determinant: f32) -> f32 {
        let open = if determinant > 0.0 { (self.share * minors / determinant).clamp(0.0, 1.0) } else { 1.0 };
        tt * open * self.per_pooled
    }

    /// From the warped image, the sum of squared differences and the variance.
    #[inline(always)]
    fn squared_error(self, warped: f32, squares: f32, variance: f32) -> f32 {
        if warped.is_nan() { self.outside2 } else { squares * self.gain + variance }
    }
}

/// The centre of the nearest fourth difference that lies inside.
fn centre(at: usize, count: usize, step: usize) -> usize {
    at.clamp(2 * step, count - 1 - 2 * step)
}

/// Adds the squared fourth differences along a row.
fn add_along_row(line: &[f32], step: usize, out: &mut [f32]) {
    if step == 0 {
        return;
    }
    let (border, inside) = (2 * step, line.len() - 4 * step);
    let lines = [0, 1, 2, 3, 4].map(|k| &line[k * step..][..inside]);
    for (end, i) in [(0..border, 0), (border + inside..line.len(), inside - 1)] {
        let mut square = [0.0];
        add_squares(lines.map(|line| &line[i..=i]), &mut square);
        out[end].iter_mut().for_each(|sum| *sum += square[0]);
    }
    add_squares(lines, &mut out[border..border + inside]);
}

/// Adds the squared fourth differences of five lines.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_squares([a, b, c, d, e]: [&[f32]; 5], out: &mut [f32]) {
    let n = out.len();
    let (a, b, c, d, e) = (&a[..n], &b[..n], &c[..n], &d[..n], &e[..n]);
    for i in 0..n {
        let (near, far) = (b[i] + d[i] - 2.0 * c[i], a[i] + e[i] - 2.0 * c[i]);
        let fourth = far - 4.0 * near;
        out[i] += fourth * fourth;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_variance_2d(tensor: [&[f32]; 3], tt_and_squares: [&[f32]; 2], factors: Factors, out: &mut [f32]) {
    let n = out.len();
    let (j, a) = (tensor.map(|entry| &entry[..n]), factors.determinacy);
    let [tt, squares] = tt_and_squares.map(|row| &row[..n]);
    for i in 0..n {
        let (p, q, r) = (j[0][i] + a, j[1][i], j[2][i] + a);
        let variance = factors.variance(tt[i], p + r, p * r - q * q);
        out[i] = factors.squared_error(out[i], squares[i], variance);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_variance_3d(tensor: [&[f32]; 6], tt_and_squares: [&[f32]; 2], factors: Factors, out: &mut [f32]) {
    let n = out.len();
    let (j, a) = (tensor.map(|entry| &entry[..n]), factors.determinacy);
    let [tt, squares] = tt_and_squares.map(|row| &row[..n]);
    for i in 0..n {
        let (p, q, r) = (j[0][i] + a, j[1][i], j[2][i]);
        let (s, t, u) = (j[3][i] + a, j[4][i], j[5][i] + a);
        let minors = s * u - t * t + p * u - r * r + p * s - q * q;
        let determinant = p * (s * u - t * t) + q * (r * t - q * u) + r * (q * t - r * s);
        let variance = factors.variance(tt[i], minors, determinant);
        out[i] = factors.squared_error(out[i], squares[i], variance);
    }
}
