//! Processor text of [`super::Resample`].

use super::Resample;
use crate::image::convolve::cpu::pad_line;
use crate::shared::lanes::{LANES, Lanes};
use multiversion::multiversion;
use veloxel_core::Dimension;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::with_scratch;

/// The lower neighbour, and the weight of the upper one, for each output voxel of an axis.
///
/// The position is `((2 x + 1) n_in − n_out) / (2 n_out)`: computed in whole numbers, so that every device computes the same
/// bits.
pub(super) fn stencil(n_in: usize, n_out: usize) -> Stencil {
    let (low, weight) = (0..n_out)
        .map(|x| {
            let at = ((2 * x + 1) * n_in).saturating_sub(n_out);
            let (low, rest) = (at / (2 * n_out), at % (2 * n_out));
            match n_in {
                1 => (0, 0.0),
                _ if low + 1 >= n_in => (n_in as u32 - 2, 1.0),
                _ => (low as u32, rest as f32 / (2 * n_out) as f32),
            }
        })
        .unzip();
    Stencil { low, weight }
}

/// Lower neighbours and weights of the upper ones.
pub(super) struct Stencil {
    pub low: Vec<u32>,
    pub weight: Vec<f32>,
}

/// Interpolates along a line, after which its last sample is repeated [`LANES`] times.
///
/// Pyramids halve, double, quadruple or multiply their sides by eight: neighbours then lie in the same order along the whole
/// line, which needs no look-up. The ends, where positions are clamped, take the general path.
fn interpolate(line: &[f32], stencil: &Stencil, out: &mut [f32]) {
    let (n_in, n_out) = (line.len() - LANES, out.len());
    match n_out / n_in {
        0 if 2 * n_out == n_in => halve(&line[..n_in], out),
        2 if n_out == 2 * n_in => enlarge::<2>(line, stencil, out),
        4 if n_out == 4 * n_in => enlarge::<4>(line, stencil, out),
        8 if n_out == 8 * n_in => enlarge::<8>(line, stencil, out),
        _ => look_up(&line[..=n_in], stencil, out),
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn halve(line: &[f32], out: &mut [f32]) {
    for (o, pair) in out.iter_mut().zip(line.as_chunks::<2>().0) {
        *o = pair[0] + 0.5 * (pair[1] - pair[0]);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn enlarge<const F: usize>(line: &[f32], stencil: &Stencil, out: &mut [f32]) {
    let (n, half) = (out.len(), F / 2);
    for end in [0, n - half] {
        let (x, weight) = (stencil.low[end] as usize, stencil.weight[end]);
        out[end..end + half].fill(line[x] + weight * (line[x + 1] - line[x]));
    }
    if n == F {
        return;
    }
    // Between the middles of the first sample and the last one; which samples a pack lies between is known when this is
    // compiled, so that they are moved within registers.
    let out = &mut out[half..n - half];
    let weight = Lanes(std::array::from_fn(|k| stencil.weight[half + k % F]));
    for x in (0..out.len()).step_by(LANES) {
        let samples = &line[x / F..][..LANES];
        let low = Lanes(std::array::from_fn(|k| samples[k / F]));
        let high = Lanes(std::array::from_fn(|k| samples[k / F + 1]));
        (low + weight * (high - low)).store_what_fits(out, x);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn look_up(line: &[f32], stencil: &Stencil, out: &mut [f32]) {
    let n = out.len();
    let (low, weight) = (&stencil.low[..n], &stencil.weight[..n]);
    // A bound that the compiler sees, so that the loop becomes vector instructions.
    let last = line.len() as u32 - 2;
    for i in 0..n {
        let x = low[i].min(last) as usize;
        out[i] = line[x] + weight[i] * (line[x + 1] - line[x]);
    }
}

/// Interpolates between two rows of a plane.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn between_rows([a, b]: [&[f32]; 2], weight: f32, factor: f32, out: &mut [f32]) {
    for ((o, a), b) in out.iter_mut().zip(a).zip(b) {
        // As from a plane towards itself: −0 becomes 0.
        *o = factor * (a + weight * (b - a) + 0.0);
    }
}

/// Interpolates between two rows of a plane, between two rows of the next plane, and between the results.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn between_planes(corners: [&[f32]; 4], [wy, wz]: [f32; 2], factor: f32, out: &mut [f32]) {
    let n = out.len();
    let [a, b, c, d] = corners.map(|row| &row[..n]);
    for x in 0..n {
        let low = a[x] + wy * (b[x] - a[x]);
        let high = c[x] + wy * (d[x] - c[x]);
        out[x] = factor * (low + wz * (high - low));
    }
}

pub(super) fn resample(cpu: &Cpu, args: Resample<'_>) {
    let (from, to, factor) = (args.input_shape, args.output_shape, args.factor);
    let planes = |count: usize| Stencil { low: (0..count as u32).collect(), weight: vec![0.0; count] };
    let axes = [0, 1, 2].map(|a| match from.dimension {
        Dimension::Two if a == 2 => planes(to.size[2]),
        _ => stencil(from.size[a], to.size[a]),
    });
    let ([nx_in, ny_in, nz_in], [nx, ny, _]) = (from.size, to.size);
    for (input, output) in args.input.iter().zip(args.output) {
        let input = input.host();
        let at = |axis: usize, i: usize| (axes[axis].low[i] as usize, axes[axis].weight[i]);
        let line_of = |y: usize, z: usize| &input[(z * ny_in + y) * nx_in..][..nx_in];
        cpu.split_rows([output.host_mut()], nx, to.len(), |row, [out]| {
            let ((y, wy), (z, wz)) = (at(1, row % ny), at(2, row / ny));
            let (y1, z1) = ((y + 1).min(ny_in - 1), (z + 1).min(nz_in - 1));
            let corners = [line_of(y, z), line_of(y1, z), line_of(y, z1), line_of(y1, z1)];
            with_scratch(nx_in + LANES, |line| {
                match z1 == z {
                    true => between_rows([corners[0], corners[1]], wy, factor, &mut line[..nx_in]),
                    false => between_planes(corners, [wy, wz], factor, &mut line[..nx_in]),
                }
                pad_line(line, 0..nx_in);
                interpolate(line, &axes[0], out);
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use std::slice::{from_mut, from_ref};
    use veloxel_core::Shape;
    use veloxel_gpu::Device;

    #[test]
    fn ratios_of_pyramids_give_the_same_bits_as_the_look_up() {
        for (n_in, n_out) in [
            (48, 24),
            (24, 48),
            (24, 96),
            (24, 192),
            (2, 16),
            (1, 8),
            (3, 12),
            (24, 72),
            (50, 200),
            (81, 648),
        ] {
            let mut line: Vec<f32> = (0..n_in).map(|i| (i as f32 * 1.7).sin() * 100.0).collect();
            line.extend([line[n_in - 1]; LANES]);
            let stencil = stencil(n_in, n_out);
            let (mut fast, mut general) = (vec![0.0; n_out], vec![0.0; n_out]);
            interpolate(&line, &stencil, &mut fast);
            look_up(&line[..=n_in], &stencil, &mut general);
            assert_eq!(fast, general, "{n_in} to {n_out}");
        }
    }

    #[test]
    fn a_ramp_stays_a_ramp_inside() {
        let (from, to) = (
            Shape { size: [20, 10, 8], dimension: Dimension::Three },
            Shape { size: [10, 15, 8], dimension: Dimension::Three },
        );
        let input: Vec<f32> = (0..from.len())
            .map(|i| (i % 20) as f32 + 2.0 * (i / 20 % 10) as f32 - (i / 200) as f32)
            .collect();
        let device = Device::cpu(2).unwrap();
        let (input, mut out) = (device.upload(input).unwrap(), device.zeros(to.len()).unwrap());
        let kernel = Resample {
            input: from_ref(&input),
            input_shape: from,
            output: from_mut(&mut out),
            output_shape: to,
            factor: 2.0,
        };
        kernel.run(&device).unwrap();
        let out = device.download(out).unwrap();
        let (x, y, z) = (4, 7, 3);
        let at = [(x as f32 + 0.5) * 2.0 - 0.5, (y as f32 + 0.5) * 10.0 / 15.0 - 0.5, z as f32];
        let expected = 2.0 * (at[0] + 2.0 * at[1] - at[2]);
        assert!((out[(z * 15 + y) * 10 + x] - expected).abs() < 1e-4);
    }
}
