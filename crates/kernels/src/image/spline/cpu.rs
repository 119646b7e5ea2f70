//! Processor text of [`super::SplineCoefficients`].

use super::{RADIUS, response};
use crate::image::convolve::cpu::{filter_line, filter_rows};
use crate::shared::lanes::LANES;
use veloxel_core::Shape;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, with_scratch};

/// Most columns that go through the filter along y and z together.
const PIECE: usize = 512;
/// Cost of a sample, in units of copying one.
const COST: usize = 8;

pub(super) fn spline_coefficients(cpu: &Cpu, shape: Shape, samples: &mut [f32]) {
    let [nx, ny, nz] = shape.size;
    let weights = response();
    if nx > 1 {
        cpu.split_rows([&mut *samples], nx, COST * shape.len(), |_, [row]| {
            with_scratch(nx + 2 * RADIUS, |padded| {
                padded[RADIUS..][..nx].copy_from_slice(row);
                (0..RADIUS).chain(RADIUS + nx..padded.len()).for_each(|k| padded[k] = row[mirrored(k, nx)]);
                filter_line(padded, &weights, row);
            });
        });
    }
    let shared = Shared::new(samples);
    let across = [(ny, nx, nz), (nz, nx * ny, 1)].into_iter().take(shape.components() - 1);
    for (n, width, count) in across.filter(|&(n, ..)| n > 1) {
        let piece_of = |parts: usize| width.div_ceil(parts).next_multiple_of(LANES).min(PIECE);
        let piece_columns = piece_of(cpu.useful_parts(COST * shape.len()).div_ceil(count));
        let pieces = width.div_ceil(piece_columns);
        cpu.split(count * pieces, COST * shape.len(), |jobs| {
            let mut panel = Vec::new();
            for job in jobs {
                let (slab, piece) = (job / pieces, job % pieces);
                let (start, end) = (piece * piece_columns, ((piece + 1) * piece_columns).min(width));
                let line = |k: usize| (slab * n + k) * width + start..(slab * n + k) * width + end;
                panel.clear();
                for k in 0..n {
                    // SAFETY: pieces are disjoint, and one thread reads and writes each.
                    panel.extend_from_slice(unsafe { shared.get(line(k)) });
                }
                let columns = end - start;
                for k in 0..n {
                    let row = |r: usize| &panel[mirrored(k + r, n) * columns..][..columns];
                    // SAFETY: as above.
                    filter_rows(row, &weights, unsafe { shared.get_mut(line(k)) });
                }
            }
        });
    }
}

/// Index of the sample [`RADIUS`] before `at`, of `n` samples that are mirrored at both ends.
fn mirrored(at: usize, n: usize) -> usize {
    let folded = at.abs_diff(RADIUS) % (2 * n - 2);
    folded.min(2 * n - 2 - folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    /// β³ at the integers is (1, 4, 1)/6: applied to the coefficients it must give the samples back.
    #[test]
    fn the_basis_gives_the_samples_back() {
        for size in [[2, 1, 1], [1, 3, 1], [1, 1, 9], [40, 1, 1], [1, 1, 40]] {
            let (shape, n) = (Shape { size, dimension: Dimension::Three }, size.into_iter().max().unwrap());
            let samples: Vec<f32> = (0..n).map(|i| (i as f32 * 1.7).sin()).collect();
            let mut c = samples.clone();
            spline_coefficients(&Cpu::new(1).unwrap(), shape, &mut c);
            let at = |k: usize| c[mirrored(k + RADIUS - 1, n)];
            for (k, sample) in samples.iter().enumerate() {
                let back = (at(k) + 4.0 * at(k + 1) + at(k + 2)) / 6.0;
                assert!((back - sample).abs() < 2e-5, "{size:?}, {k}: {back}");
            }
        }
    }
}
