//! CPU text of [`Restrict`](super::Restrict) and [`Prolong`](super::Prolong), a channel at a time.

use crate::variational::rows::{add, row_loops};
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::Shape;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::with_scratch;

/// The fine cells of coarse cell `cell` along an axis.
pub(crate) fn cells(cell: usize, fine: usize, coarse: usize) -> Range<usize> {
    if fine == coarse {
        cell..cell + 1
    } else {
        2 * cell..if cell + 1 == coarse { fine } else { 2 * cell + 2 }
    }
}

/// `out += share ·` mean of the row's cells.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(crate) fn add_pairs(fine: &[f32], share: f32, out: &mut [f32]) {
    if fine.len() == out.len() {
        for (o, &f) in out.iter_mut().zip(fine) {
            *o += share * f;
        }
        return;
    }
    let half = 0.5 * share;
    let (pairs, last) = fine.split_at(2 * out.len() - 2);
    let mean = last.iter().sum::<f32>() / last.len() as f32;
    for (o, pair) in out.iter_mut().zip(pairs.chunks_exact(2)) {
        *o += half * (pair[0] + pair[1]);
    }
    out[out.len() - 1] += share * mean;
}

pub(super) fn restrict(cpu: &Cpu, fine: &[f32], from: Shape, coarse: &mut [f32], to: Shape) {
    let ([nx, ny, nz], [cx, cy, cz]) = (from.size, to.size);
    cpu.split_rows([coarse], cx, from.len(), |row, [out]| {
        out.fill(0.0);
        let (ys, zs) = (cells(row % cy, ny, cy), cells(row / cy, nz, cz));
        let share = 1.0 / (ys.len() * zs.len()) as f32;
        for z in zs {
            for y in ys.clone() {
                add_pairs(&fine[(z * ny + y) * nx..][..nx], share, out);
            }
        }
    });
}

/// The two coarse cells around a fine cell and the weight of the nearer one.
fn neighbours(cell: usize, fine: usize, coarse: usize) -> (usize, usize, f32) {
    if fine == coarse {
        return (cell, cell, 1.0);
    }
    let near = cell / 2;
    if near >= coarse {
        // The third cell of an odd end lies beyond the last centre.
        return (coarse - 1, coarse - 1, 1.0);
    }
    let far = if cell.is_multiple_of(2) { near.saturating_sub(1) } else { (near + 1).min(coarse - 1) };
    (near, far, 0.75)
}

pub(super) fn prolong_add(cpu: &Cpu, coarse: &[f32], from: Shape, fine: &mut [f32], to: Shape) {
    let ([cx, cy, cz], [nx, ny, nz]) = (from.size, to.size);
    cpu.split_rows([fine], nx, to.len(), |row, [out]| {
        with_scratch(cx + 2, |line| {
            let ((y0, y1, wy), (z0, z1, wz)) = (neighbours(row % ny, ny, cy), neighbours(row / ny, nz, cz));
            let line_of = |y: usize, z: usize| &coarse[(z * cy + y) * cx..][..cx];
            let weights = [wy * wz, (1.0 - wy) * wz, wy * (1.0 - wz), (1.0 - wy) * (1.0 - wz)];
            let lines = [line_of(y0, z0), line_of(y1, z0), line_of(y0, z1), line_of(y1, z1)];
            let [a, b, c, d] = lines;
            blend(a, b, c, d, weights, &mut line[1..=cx]);
            line[0] = line[1];
            line[cx + 1] = line[cx];
            if nx == cx {
                add(&line[1..], out);
            } else {
                spread(line, out);
            }
        });
    });
}

row_loops! {
    fn blend([a, b, c, d], w: [f32; 4]; out) |i|
        out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
}

/// Adds a padded coarse row to a fine one.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn spread(line: &[f32], out: &mut [f32]) {
    for (i, pair) in out.chunks_exact_mut(2).enumerate() {
        pair[0] += 0.75 * line[i + 1] + 0.25 * line[i];
        pair[1] += 0.75 * line[i + 1] + 0.25 * line[i + 2];
    }
    // The third cell of an odd end lies beyond the last centre.
    let last = out.len() - 1;
    if last.is_multiple_of(2) {
        out[last] += line[last / 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    #[test]
    fn constants_survive_both_ways_on_odd_sizes() {
        let (fine, coarse) = (
            Shape { size: [7, 5, 6], dimension: Dimension::Three },
            Shape { size: [3, 2, 6], dimension: Dimension::Three },
        );
        let cpu = Cpu::new(2).unwrap();
        let mut down = vec![0.0; coarse.len()];
        restrict(&cpu, &vec![3.0; fine.len()], fine, &mut down, coarse);
        assert!(down.iter().all(|v| (v - 3.0f32).abs() < 1e-6));
        let mut up = vec![1.0; fine.len()];
        prolong_add(&cpu, &down, coarse, &mut up, fine);
        assert!(up.iter().all(|v| (v - 4.0f32).abs() < 1e-6));
    }

    #[test]
    fn the_mean_is_kept_on_even_sizes() {
        let (fine, coarse) = (
            Shape { size: [8, 6, 1], dimension: Dimension::Two },
            Shape { size: [4, 3, 1], dimension: Dimension::Two },
        );
        let input: Vec<f32> = (0..fine.len()).map(|i| (i as f32).cos()).collect();
        let mut down = vec![0.0; coarse.len()];
        restrict(&Cpu::new(1).unwrap(), &input, fine, &mut down, coarse);
        let mean = |v: &[f32]| v.iter().sum::<f32>() / v.len() as f32;
        assert!((mean(&input) - mean(&down)).abs() < 1e-6);
    }
}
