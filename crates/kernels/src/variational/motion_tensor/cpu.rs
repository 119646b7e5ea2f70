//! Processor text of [`super::motion_tensor`](fn@super::motion_tensor).

use super::{Constraint, MotionTensor};
use crate::image::convolve::cpu::{for_each_band, smooth_along_z, smooth_band};
use crate::image::gradient::Scheme;
use crate::image::gradient::cpu::{central4, difference_row, gain};
use crate::shared::group_sums::group_sums;
use multiversion::multiversion;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn motion_tensor(cpu: &Cpu, args: &MotionTensor<'_>, out: &mut [Buffer]) {
    match (args.shape.components(), out.len()) {
        (2, 5) => in_plane::<2, 5>(cpu, args, out),
        (2, _) => in_plane::<2, 6>(cpu, args, out),
        (_, 9) => in_plane::<3, 9>(cpu, args, out),
        _ => in_plane::<3, 10>(cpu, args, out),
    }
    if args.shape.components() == 3 {
        for channel in out {
            smooth_along_z(cpu, args.shape, &args.taps[2], channel.host_mut());
        }
    }
}

pub(super) fn mismatch(cpu: &Cpu, args: &MotionTensor<'_>) -> f64 {
    match args.shape.components() {
        2 => mismatch_in::<2, 6>(cpu, args),
        _ => mismatch_in::<3, 10>(cpu, args),
    }
}

fn mismatch_in<const D: usize, const C: usize>(cpu: &Cpu, args: &MotionTensor<'_>) -> f64 {
    let nx = args.shape.size[0];
    // In the order of the other text: what follows depends on the sums.
    let sums = group_sums(cpu, (args.shape.len(), 4), |items, [tt, trace]| {
        let mut stencil = Stencil::<D>::new(nx);
        let mut products = vec![0.0; C * nx];
        for row in items.start / nx..=(items.end - 1) / nx {
            for (pair, (fixed, warped)) in args.pairs.iter().enumerate() {
                stencil.fill(args, (fixed.host(), warped.host()), row);
                let mode = if pair == 0 { Mode::Write } else { Mode::Add };
                stencil.products::<C>(args.constraint, mode, &mut products);
            }
            let part = items.start.max(row * nx)..items.end.min((row + 1) * nx);
            let line = |channel: usize| &products[channel * nx..][part.start - row * nx..part.end - row * nx];
            let place = part.start - items.start..part.end - items.start;
            add(line(C - 1), &mut tt[place.clone()]);
            (0..D).for_each(|c| add(line(c * (2 * D + 1 - c) / 2), &mut trace[place.clone()]));
        }
    });
    let [tt, trace] = sums.map(|sums| sums.into_iter().map(f64::from).sum::<f64>());
    if trace > 0.0 { tt / trace } else { 0.0 }
}

fn add(values: &[f32], sums: &mut [f32]) {
    sums.iter_mut().zip(values).for_each(|(s, &v)| *s += v);
}

fn in_plane<const D: usize, const C: usize>(cpu: &Cpu, args: &MotionTensor<'_>, out: &mut [Buffer]) {
    let [nx, ny, _] = args.shape.size;
    let out: Vec<Shared<'_>> = out.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    for_each_band(cpu, args.shape, args.taps[1].radius() + 2, |z, band| {
        let plane = z * ny;
        let mut rows = Stencil::<D>::new(nx);
        smooth_band::<C>(
            (nx, ny, band),
            (&args.taps[0], &args.taps[1]),
            |y, products| {
                for (nth, (fixed, warped)) in args.pairs.iter().enumerate() {
                    rows.fill(args, (fixed.host(), warped.host()), plane + y);
                    let mode = if nth == 0 { Mode::Write } else { Mode::Add };
                    rows.products::<C>(args.constraint, mode, products);
                }
            },
            // SAFETY: bands are disjoint and nobody reads the output.
            |c, y| unsafe { out[c].get_mut((plane + y) * nx..(plane + y + 1) * nx) },
        );
    });
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Write,
    Add,
}

/// The rows around one row, and what is derived from them.
struct Stencil<const D: usize> {
    /// Mean of fixed and warped: the row itself, then −2, −1, +1, +2 along y, and along z.
    mean: Vec<f32>,
    gradient: [Vec<f32>; D],
    difference: Vec<f32>,
    weight: Vec<f32>,
}

impl<const D: usize> Stencil<D> {
    fn new(nx: usize) -> Self {
        Self {
            mean: vec![0.0; 5 * nx],
            gradient: std::array::from_fn(|_| vec![0.0; nx]),
            difference: vec![0.0; nx],
            weight: vec![0.0; nx],
        }
    }

    fn fill(&mut self, args: &MotionTensor<'_>, (fixed, warped): (&[f32], &[f32]), row: usize) {
        let [nx, ny, nz] = args.shape.size;
        let span = row * nx..(row + 1) * nx;
        image_difference(
            &fixed[span.clone()],
            &warped[span.clone()],
            (&mut self.difference, &mut self.weight),
        );
        if let Some(weight) = args.weight {
            multiply(&weight.host()[span], &mut self.weight);
        }
        for axis in 0..D {
            let (at, count, stride) = [(0, 1, 0), (row % ny, ny, nx), (row / ny, nz, nx * ny)][axis];
            let gain = gain(args.scheme) / args.spacing_edges[axis];
            if args.scheme == Scheme::Forward {
                let what = (args.shape, axis, Scheme::Forward);
                difference_row(fixed, what, (row, gain), &mut self.gradient[axis]);
            } else if axis == 0 {
                let mean = &mut self.mean[..nx];
                mean_row(&fixed[row * nx..][..nx], &warped[row * nx..][..nx], mean);
                let line = veloxel_core::Shape { size: [nx, 1, 1], dimension: veloxel_core::Dimension::Two };
                difference_row(mean, (line, 0, Scheme::Central4), (0, gain), &mut self.gradient[0]);
            } else {
                for (slot, offset) in [-2isize, -1, 1, 2].into_iter().enumerate() {
                    let to = (at as isize + offset).clamp(0, count as isize - 1) as usize;
                    let start = row * nx + to * stride - at * stride;
                    let (f, w) = (&fixed[start..][..nx], &warped[start..][..nx]);
                    mean_row(f, w, &mut self.mean[(slot + 1) * nx..][..nx]);
                }
                let slot = |s: usize| &self.mean[s * nx..][..nx];
                let (near, far) = ((slot(1), slot(2)), (slot(3), slot(4)));
                central4(near, far, gain, &mut self.gradient[axis]);
            }
        }
    }

    /// Scales the weights to the constraint.
    fn normalise(&mut self, constraint: Constraint) {
        if let Constraint::Normalised { zeta } = constraint {
            let g: [&[f32]; D] = std::array::from_fn(|c| self.gradient[c].as_slice());
            normalise(g, zeta * zeta, &mut self.weight);
        }
    }

    /// Writes or adds the `C` product rows.
    fn products<const C: usize>(&mut self, constraint: Constraint, mode: Mode, out: &mut [f32]) {
        let n = self.weight.len();
        self.normalise(constraint);
        let mut channel = 0;
        let mut put = |a: &[f32], b: &[f32], sign: f32, weight: &[f32]| {
            let out = &mut out[channel * n..][..n];
            match mode {
                Mode::Write => product(a, (b, weight), sign, out),
                Mode::Add => add_product(a, (b, weight), sign, out),
            }
            channel += 1;
        };
        for r in 0..D {
            for c in r..D {
                put(&self.gradient[r], &self.gradient[c], 1.0, &self.weight);
            }
        }
        for g in &self.gradient {
            put(g, &self.difference, -1.0, &self.weight);
        }
        if C > D * (D + 1) / 2 + D {
            put(&self.difference, &self.difference, 1.0, &self.weight);
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn mean_row(fixed: &[f32], warped: &[f32], out: &mut [f32]) {
    for ((o, &f), &w) in out.iter_mut().zip(fixed).zip(warped) {
        *o = if w.is_nan() { f } else { 0.5 * (f + w) };
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn image_difference(fixed: &[f32], warped: &[f32], (difference, weight): (&mut [f32], &mut [f32])) {
    let n = fixed.len();
    let (warped, difference, weight) = (&warped[..n], &mut difference[..n], &mut weight[..n]);
    for i in 0..n {
        let outside = warped[i].is_nan();
        difference[i] = if outside { 0.0 } else { warped[i] - fixed[i] };
        weight[i] = if outside { 0.0 } else { 1.0 };
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn multiply(factor: &[f32], out: &mut [f32]) {
    for (o, &f) in out.iter_mut().zip(factor) {
        *o *= f;
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

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn product(a: &[f32], (b, weight): (&[f32], &[f32]), sign: f32, out: &mut [f32]) {
    let n = out.len();
    let (a, b, weight) = (&a[..n], &b[..n], &weight[..n]);
    for i in 0..n {
        out[i] = sign * weight[i] * a[i] * b[i];
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_product(a: &[f32], (b, weight): (&[f32], &[f32]), sign: f32, out: &mut [f32]) {
    let n = out.len();
    let (a, b, weight) = (&a[..n], &b[..n], &weight[..n]);
    for i in 0..n {
        out[i] += sign * weight[i] * a[i] * b[i];
    }
}

/// `Σ w a²` of a row: sixteen sums that take turns, so that every instruction set adds in the same order.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn weighted_square(a: &[f32], weight: &[f32]) -> f64 {
    let mut sums = [0.0f32; 16];
    for (a, weight) in a.chunks(16).zip(weight.chunks(16)) {
        for ((sum, a), weight) in sums.iter_mut().zip(a).zip(weight) {
            *sum += weight * a * a;
        }
    }
    sums.into_iter().map(f64::from).sum()
}

#[cfg(test)]
mod tests {
    use crate::image::convolve::isotropic;
    use crate::image::gradient::Scheme;
    use crate::shared::taps::Taps;
    use crate::variational::motion_tensor::{Constraint, MotionTensor, motion_tensor};
    use veloxel_core::{Dimension, Shape};
    use veloxel_gpu::Device;

    /// A ramp shifted by a whole number: every entry is known.
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
        let args = MotionTensor {
            shape,
            spacing_edges: [1.0, 1.0, 2.0],
            scheme: Scheme::Central4,
            constraint: Constraint::Plain,
            taps: &taps,
            pairs: &[(&fixed, &warped)],
            weight: None,
        };
        let mut out = device.zeros_field(10, shape.len()).unwrap();
        motion_tensor(&device, &args, &mut out).unwrap();
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
