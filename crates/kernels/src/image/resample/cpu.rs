//! Processor text of [`super::Resample`].

use super::Resample;
use multiversion::multiversion;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, with_scratch};

/// Lower neighbour and weight of the upper one, for each output voxel of an axis.
///
/// The position is `((2 x + 1) n_in − n_out) / (2 n_out)`: in whole numbers, so that every device finds the same bits.
fn stencil(n_in: usize, n_out: usize) -> Stencil {
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
struct Stencil {
    low: Vec<u32>,
    weight: Vec<f32>,
}

/// Interpolates along a line, whose last sample stands twice.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn interpolate(line: &[f32], stencil: &Stencil, out: &mut [f32]) {
    let n = out.len();
    let (low, weight) = (&stencil.low[..n], &stencil.weight[..n]);
    // A bound that the compiler sees, so that the loop becomes vector instructions.
    let last = line.len() as u32 - 2;
    for i in 0..n {
        let x = low[i].min(last) as usize;
        out[i] = line[x] + weight[i] * (line[x + 1] - line[x]);
    }
}

pub(super) fn resample(cpu: &Cpu, args: Resample<'_>) {
    let (from, to, factor) = (args.input_shape, args.output_shape, args.factor);
    let axes = [0, 1, 2].map(|a| stencil(from.size[a], to.size[a]));
    let ([nx_in, ny_in, nz_in], [nx, ny, _]) = (from.size, to.size);
    for (input, output) in args.input.iter().zip(args.output) {
        let input = input.host();
        let out = Shared::new(output.host_mut());
        cpu.split(to.rows(), to.len(), |rows| {
            with_scratch(nx_in + 1, |line| {
                for row in rows {
                    let at = |axis: usize, i: usize| (axes[axis].low[i] as usize, axes[axis].weight[i]);
                    let ((y, wy), (z, wz)) = (at(1, row % ny), at(2, row / ny));
                    let (y1, z1) = ((y + 1).min(ny_in - 1), (z + 1).min(nz_in - 1));
                    let line_of = |y: usize, z: usize| &input[(z * ny_in + y) * nx_in..][..nx_in];
                    let corners = [line_of(y, z), line_of(y1, z), line_of(y, z1), line_of(y1, z1)];
                    for (x, value) in line[..nx_in].iter_mut().enumerate() {
                        let low = corners[0][x] + wy * (corners[1][x] - corners[0][x]);
                        let high = corners[2][x] + wy * (corners[3][x] - corners[2][x]);
                        *value = factor * (low + wz * (high - low));
                    }
                    line[nx_in] = line[nx_in - 1];
                    // SAFETY: every row is written by one thread.
                    let out = unsafe { out.get_mut(row * nx..(row + 1) * nx) };
                    interpolate(line, &axes[0], out);
                }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use std::slice::{from_mut, from_ref};
    use veloxel_core::{Dimension, Shape};
    use veloxel_gpu::Device;

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
