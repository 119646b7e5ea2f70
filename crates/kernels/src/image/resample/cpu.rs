//! Processor text of [`super::resample`].

use veloxel_core::Shape;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, with_scratch};

/// Lower neighbour and weight of the upper one, for each output voxel of an axis.
///
/// The position is `((2 x + 1) n_in − n_out) / (2 n_out)`: in whole numbers, so that every device finds the same bits.
fn stencil(n_in: usize, n_out: usize) -> Vec<(usize, f32)> {
    (0..n_out)
        .map(|x| {
            let at = ((2 * x + 1) * n_in).saturating_sub(n_out);
            let (low, rest) = (at / (2 * n_out), at % (2 * n_out));
            match n_in {
                1 => (0, 0.0),
                _ if low + 1 >= n_in => (n_in - 2, 1.0),
                _ => (low, rest as f32 / (2 * n_out) as f32),
            }
        })
        .collect()
}

pub(super) fn resample(
    cpu: &Cpu,
    (input, from): (&[f32], Shape),
    (output, to): (&mut [f32], Shape),
    factor: f32,
) {
    let axes = [0, 1, 2].map(|a| stencil(from.size[a], to.size[a]));
    let ([nx_in, ny_in, nz_in], [nx, ny, _]) = (from.size, to.size);
    let out = Shared::new(output);
    cpu.split(to.rows(), to.len(), |rows| {
        with_scratch(nx_in + 1, |line| {
            for row in rows {
                let ((y, wy), (z, wz)) = (axes[1][row % ny], axes[2][row / ny]);
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
                for (o, &(x, w)) in out.iter_mut().zip(&axes[0]) {
                    *o = line[x] + w * (line[x + 1] - line[x]);
                }
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    #[test]
    fn a_ramp_stays_a_ramp_inside() {
        let (from, to) = (
            Shape { size: [20, 10, 8], dimension: Dimension::Three },
            Shape { size: [10, 15, 8], dimension: Dimension::Three },
        );
        let input: Vec<f32> = (0..from.len())
            .map(|i| (i % 20) as f32 + 2.0 * (i / 20 % 10) as f32 - (i / 200) as f32)
            .collect();
        let mut out = vec![0.0; to.len()];
        resample(&Cpu::new(2).unwrap(), (&input, from), (&mut out, to), 2.0);
        let (x, y, z) = (4, 7, 3);
        let at = [(x as f32 + 0.5) * 2.0 - 0.5, (y as f32 + 0.5) * 10.0 / 15.0 - 0.5, z as f32];
        let expected = 2.0 * (at[0] + 2.0 * at[1] - at[2]);
        assert!((out[(z * 15 + y) * 10 + x] - expected).abs() < 1e-4);
    }
}
