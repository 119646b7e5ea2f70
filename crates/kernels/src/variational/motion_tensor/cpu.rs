//! CPU text of [`MotionTensor`] and [`Mismatch`](super::Mismatch).

use super::{Constraint, DataTerm, MotionTensor};
use crate::image::convolve::cpu::{for_each_band, smooth_along_z, smooth_band};
use crate::image::gradient::Scheme;
use crate::image::gradient::cpu::{Difference, central4, difference_row, gain};
use crate::shared::group_sums::group_totals;
use crate::shared::lanes::{LANES, Lanes, Pack};
use crate::shared::rows::{add, multiply, row_loops};
use crate::shared::taps::Taps;
use multiversion::multiversion;
use veloxel_core::{Axes, Dimension, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn motion_tensor(cpu: &Cpu, args: MotionTensor<'_>) {
    let MotionTensor { term, taps, out } = args;
    match (term.shape.components(), out.len()) {
        (2, 5) => in_plane::<2, 5>(cpu, &term, taps, out),
        (2, _) => in_plane::<2, 6>(cpu, &term, taps, out),
        (_, 9) => in_plane::<3, 9>(cpu, &term, taps, out),
        _ => in_plane::<3, 10>(cpu, &term, taps, out),
    }
    if term.shape.components() == 3 {
        out.iter_mut().for_each(|entry| smooth_along_z(cpu, term.shape, &taps[2], entry.host_mut()));
    }
}

/// The sums of tt and of the spatial trace.
pub(super) fn mismatch<const D: usize, const C: usize>(cpu: &Cpu, term: &DataTerm<'_>) -> [f64; 2] {
    let nx = term.shape.size[0];
    // In the order of the shader: what follows depends on the sums.
    group_totals(cpu, term.shape.len(), 4, |items, [tt, trace]| {
        let mut stencil = Stencil::<D>::new(nx, term.pairs.len());
        let mut products = vec![0.0; C * nx];
        for row in items.start / nx..=(items.end - 1) / nx {
            stencil.all_products::<C>(term, row, &mut products);
            let part = items.start.max(row * nx)..items.end.min((row + 1) * nx);
            let line = |channel: usize| &products[channel * nx..][part.start - row * nx..part.end - row * nx];
            let place = part.start - items.start..part.end - items.start;
            add(line(C - 1), &mut tt[place.clone()]);
            (0..D).for_each(|c| add(line(c * (2 * D + 1 - c) / 2), &mut trace[place.clone()]));
        }
    })
}

fn in_plane<const D: usize, const C: usize>(
    cpu: &Cpu,
    term: &DataTerm<'_>,
    taps: &Axes<Taps>,
    out: &mut [Buffer],
) {
    let [nx, ny, _] = term.shape.size;
    let out: Vec<Shared<'_>> = out.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    for_each_band(cpu, term.shape, taps[1].radius() + 2, |z, band| {
        let plane = z * ny;
        let mut rows = Stencil::<D>::new(nx, term.pairs.len());
        let products = |y: usize, out: &mut [f32]| rows.all_products::<C>(term, plane + y, out);
        // SAFETY: bands are disjoint and no thread reads the output.
        let out = |c: usize, y: usize| unsafe { out[c].get_mut((plane + y) * nx..(plane + y + 1) * nx) };
        smooth_band::<C>(nx, ny, band, &taps[0], &taps[1], products, out);
    });
}

/// The rows around one row, and values derived from them.
struct Stencil<const D: usize> {
    /// For every pair, means of fixed and warped of the rows around along y.
    means: Vec<MeanRows>,
    /// Means of the rows around along z: −2, −1, +1, +2.
    beyond: Vec<f32>,
    gradient: [Vec<f32>; D],
    difference: Vec<f32>,
    weight: Vec<f32>,
}

impl<const D: usize> Stencil<D> {
    fn new(nx: usize, pairs: usize) -> Self {
        let means = |_| MeanRows { nx, samples: vec![0.0; MEAN_ROWS * nx], rows: [None; MEAN_ROWS] };
        Self {
            means: (0..pairs).map(means).collect(),
            beyond: vec![0.0; if D == 3 { 4 * nx } else { 0 }],
            gradient: std::array::from_fn(|_| vec![0.0; nx]),
            difference: vec![0.0; nx],
            weight: vec![0.0; nx],
        }
    }

    /// The `C` product rows of row `row`, summed over the pairs.
    fn all_products<const C: usize>(&mut self, term: &DataTerm<'_>, row: usize, out: &mut [f32]) {
        for (nth, (fixed, warped)) in term.pairs.iter().enumerate() {
            self.fill(term, nth, [fixed.host(), warped.host()], row);
            let gradient: [&[f32]; D] = std::array::from_fn(|c| self.gradient[c].as_slice());
            if let Constraint::Normalised { zeta } = term.constraint {
                normalise(gradient, zeta * zeta, &mut self.weight);
            }
            match nth {
                0 => products::<D, C, false>(gradient, &self.difference, &self.weight, out),
                _ => products::<D, C, true>(gradient, &self.difference, &self.weight, out),
            }
        }
    }

    fn fill(&mut self, term: &DataTerm<'_>, nth: usize, [fixed, warped]: [&[f32]; 2], row: usize) {
        let [nx, ny, nz] = term.shape.size;
        let span = row * nx..(row + 1) * nx;
        image_difference(&fixed[span.clone()], &warped[span.clone()], &mut self.difference, &mut self.weight);
        if let Some(weight) = term.weight {
            multiply(&weight.host()[span], &mut self.weight);
        }
        for axis in 0..D {
            let gain = gain(term.scheme) / term.spacing_edges[axis];
            let gradient = &mut self.gradient[axis];
            if term.scheme != Scheme::Central4 {
                let along = Difference { shape: term.shape, axis, scheme: term.scheme };
                difference_row(fixed, along, row, gain, gradient);
                continue;
            }
            let mean = |row: usize, out: &mut [f32]| mean_row(&fixed[row * nx..], &warped[row * nx..], out);
            match axis {
                0 => {
                    let shape = Shape { size: [nx, 1, 1], dimension: Dimension::Two };
                    let along = Difference { shape, axis: 0, scheme: Scheme::Central4 };
                    self.means[nth].find(row, mean);
                    difference_row(self.means[nth].of(row), along, 0, gain, gradient);
                }
                1 => {
                    let around = around(row % ny, ny).map(|y| row / ny * ny + y);
                    around.into_iter().for_each(|row| self.means[nth].find(row, mean));
                    let [a, b, c, d] = around.map(|row| self.means[nth].of(row));
                    central4(a, b, c, d, gain, gradient);
                }
                _ => {
                    let rows = around(row / ny, nz).map(|z| z * ny + row % ny);
                    for (row, out) in rows.into_iter().zip(self.beyond.chunks_exact_mut(nx)) {
                        mean(row, out);
                    }
                    let slot = |s: usize| &self.beyond[s * nx..][..nx];
                    central4(slot(0), slot(1), slot(2), slot(3), gain, gradient);
                }
            }
        }
    }
}

/// The indices 2 and 1 before one of `count`, and 1 and 2 after it; the border is replicated.
fn around(at: usize, count: usize) -> [usize; 4] {
    [-2isize, -1, 1, 2].map(|offset| (at as isize + offset).clamp(0, count as isize - 1) as usize)
}

/// Number of rows that a stencil along y reads.
const MEAN_ROWS: usize = 5;

/// Means of fixed and warped images along the rows around one; each is computed once while the row advances.
struct MeanRows {
    nx: usize,
    samples: Vec<f32>,
    /// The row that is stored in each place.
    rows: [Option<usize>; MEAN_ROWS],
}

impl MeanRows {
    /// Computes a row by `mean` unless it is stored.
    fn find(&mut self, row: usize, mean: impl Fn(usize, &mut [f32])) {
        let place = row % MEAN_ROWS;
        if self.rows[place].replace(row) != Some(row) {
            mean(row, &mut self.samples[place * self.nx..][..self.nx]);
        }
    }

    /// A row that is stored.
    fn of(&self, row: usize) -> &[f32] {
        &self.samples[row % MEAN_ROWS * self.nx..][..self.nx]
    }
}

row_loops! {
    fn mean_row([fixed, warped]; out) |i|
        out[i] = if warped[i].is_nan() { fixed[i] } else { 0.5 * (fixed[i] + warped[i]) };
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn image_difference(fixed: &[f32], warped: &[f32], difference: &mut [f32], weight: &mut [f32]) {
    let n = fixed.len();
    let (warped, difference, weight) = (&warped[..n], &mut difference[..n], &mut weight[..n]);
    for i in 0..n {
        let outside = warped[i].is_nan();
        difference[i] = if outside { 0.0 } else { warped[i] - fixed[i] };
        weight[i] = if outside { 0.0 } else { 1.0 };
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn normalise<const D: usize>(gradient: [&[f32]; D], zeta2: f32, weight: &mut [f32]) {
    let n = weight.len();
    let gradient = gradient.map(|g| &g[..n]);
    for i in 0..n {
        let mut length2 = zeta2;
        for g in gradient {
            length2 += g[i] * g[i];
        }
        weight[i] /= length2;
    }
}

/// The products of the derivatives, then minus those with the difference, then the square of the difference if `C` has room for
/// it; rows one after the other.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn products<const D: usize, const C: usize, const ADD: bool>(
    gradient: [&[f32]; D],
    difference: &[f32],
    weight: &[f32],
    out: &mut [f32],
) {
    let n = weight.len();
    for x in (0..n).step_by(LANES) {
        let mut g = [Lanes::splat(0.0); D];
        for c in 0..D {
            g[c] = Lanes::load_or_zero(gradient[c], x);
        }
        let (weight, t) = (Lanes::load_or_zero(weight, x), Lanes::load_or_zero(difference, x));
        let mut put = |channel: usize, value: Lanes| {
            let row = &mut out[channel * n..][..n];
            let before = if ADD { Lanes::load_or_zero(row, x) + value } else { value };
            before.store_what_fits(row, x);
        };
        let mut channel = 0;
        for r in 0..D {
            for c in r..D {
                put(channel, weight * g[r] * g[c]);
                channel += 1;
            }
        }
        for r in 0..D {
            put(channel + r, -weight * g[r] * t);
        }
        if C > channel + D {
            put(C - 1, weight * t * t);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::convolve::isotropic;
    use crate::kernel::Kernel;
    use veloxel_core::{Dimension, Shape};
    use veloxel_gpu::Device;

    /// Shifts a ramp by a whole number: every entry is known.
    #[test]
    fn a_shifted_ramp_gives_its_products() {
        let device = Device::cpu(2).unwrap();
        let shape = Shape { size: [16, 14, 12], dimension: Dimension::Three };
        let ramp = |shift: f32| {
            let at = |i: usize| {
                0.1 * (i % 16) as f32 + 0.2 * (i / 16 % 14) as f32 - 0.3 * (i / 224) as f32 + shift
            };
            device.upload((0..shape.len()).map(at).collect()).unwrap()
        };
        let (fixed, warped) = (ramp(0.0), ramp(0.05));
        let taps = isotropic(&Taps::gaussian(1.0, 3.0));
        let term = DataTerm {
            shape,
            spacing_edges: [1.0, 1.0, 2.0],
            scheme: Scheme::Central4,
            constraint: Constraint::Plain,
            pairs: &[(&fixed, &warped)],
            weight: None,
        };
        let mut out = device.zeros_field(10, shape.len()).unwrap();
        MotionTensor { term, taps: &taps, out: &mut out }.run(&device).unwrap();
        let g = [0.1, 0.2, -0.15, 0.05f32];
        let expected = [
            g[0] * g[0],
            g[0] * g[1],
            g[0] * g[2],
            g[1] * g[1],
            g[1] * g[2],
            g[2] * g[2],
            -g[0] * g[3],
            -g[1] * g[3],
            -g[2] * g[3],
            g[3] * g[3],
        ];
        let centre = (6 * 14 + 7) * 16 + 8;
        for (entry, (out, expected)) in out.into_iter().zip(expected).enumerate() {
            let got = device.download(out).unwrap()[centre];
            assert!((got - expected).abs() < 1e-5, "entry {entry}: {got} against {expected}");
        }
    }
}
