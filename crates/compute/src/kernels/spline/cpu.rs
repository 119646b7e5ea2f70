//! Processor text of [`super::spline_coefficients`].

use super::POLE;
use crate::rows::Shared;
use crate::{Cpu, Shape};
use multiversion::multiversion;

/// `(1 − z)(1 − 1/z)`: makes the filter's gain at 0 one.
const GAIN: f32 = 6.0;
/// The start value's sum is cut where the pole's powers vanish in `f32`.
const HORIZON: usize = 14;
/// Rows that go through the recursion along x together.
const ROWS: usize = 32;

pub(super) fn spline_coefficients(cpu: &Cpu, shape: Shape, samples: &mut [f32]) {
    let [nx, ny, nz] = shape.size;
    let shared = Shared::new(samples);
    // Whole pieces of rows go through the recursion together; along x they are transposed for that.
    let gain: f32 = shape.size.iter().filter(|&&n| n > 1).map(|_| GAIN).product();
    cpu.split(shape.rows().div_ceil(ROWS), shape.len(), |pieces| {
        let mut panel = vec![0.0; ROWS * nx];
        for piece in pieces {
            let (start, end) = (piece * ROWS, ((piece + 1) * ROWS).min(shape.rows()));
            // SAFETY: pieces are disjoint.
            let rows = unsafe { shared.get_mut(start * nx..end * nx) };
            let panel = &mut panel[..rows.len()];
            for (r, row) in rows.chunks_exact(nx).enumerate() {
                panel[r..].iter_mut().step_by(end - start).zip(row).for_each(|(p, &v)| *p = gain * v);
            }
            recurse(panel, nx, end - start);
            for (r, row) in rows.chunks_exact_mut(nx).enumerate() {
                row.iter_mut().zip(panel[r..].iter().step_by(end - start)).for_each(|(v, &p)| *v = p);
            }
        }
    });
    cpu.split(nz, shape.len(), |planes| {
        for z in planes {
            // SAFETY: every plane is written by one thread.
            recurse(unsafe { shared.get_mut(z * ny * nx..(z + 1) * ny * nx) }, ny, nx);
        }
    });
    if nz > 1 {
        const PIECE: usize = 512;
        let plane = ny * nx;
        cpu.split(plane.div_ceil(PIECE), shape.len(), |pieces| {
            let mut panel = Vec::new();
            for piece in pieces {
                let (start, end) = (piece * PIECE, ((piece + 1) * PIECE).min(plane));
                panel.clear();
                for z in 0..nz {
                    // SAFETY: pieces are disjoint.
                    panel.extend_from_slice(unsafe { shared.get(z * plane + start..z * plane + end) });
                }
                recurse(&mut panel, nz, end - start);
                for (z, row) in panel.chunks_exact(end - start).enumerate() {
                    // SAFETY: pieces are disjoint.
                    unsafe { shared.get_mut(z * plane + start..z * plane + end) }.copy_from_slice(row);
                }
            }
        });
    }
}

/// Both recursions over `n` rows of `width` samples, all columns at once; the gain is left to the caller.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn recurse(samples: &mut [f32], n: usize, width: usize) {
    if n == 1 {
        return;
    }
    // Start of the causal recursion: the mirrored signal, weighted by powers of the pole.
    let period = 2 * n - 2;
    let (first, rest) = samples.split_at_mut(width);
    let own: f32 = (0..HORIZON).step_by(period).map(|k| POLE.powi(k as i32)).sum();
    first.iter_mut().for_each(|f| *f *= own);
    for k in (1..HORIZON).filter(|k| k % period != 0) {
        let at = k % period;
        let mirrored = if at < n { at } else { period - at };
        let row = &rest[(mirrored - 1) * width..mirrored * width];
        let power = POLE.powi(k as i32);
        first.iter_mut().zip(row).for_each(|(f, &r)| *f += power * r);
    }
    for row in 1..n {
        let (before, here) = samples.split_at_mut(row * width);
        let previous = &before[(row - 1) * width..];
        here[..width].iter_mut().zip(previous).for_each(|(h, &p)| *h += POLE * p);
    }
    let scale = POLE / (POLE * POLE - 1.0);
    let (before, last) = samples.split_at_mut((n - 1) * width);
    let previous = &before[(n - 2) * width..];
    last.iter_mut().zip(previous).for_each(|(l, &p)| *l = scale * (*l + POLE * p));
    for row in (0..n - 1).rev() {
        let (before, after) = samples.split_at_mut((row + 1) * width);
        let here = &mut before[row * width..];
        here.iter_mut().zip(&after[..width]).for_each(|(h, &a)| *h = POLE * (a - *h));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// β³ at the integers is (1, 4, 1)/6: applied to the coefficients it must give the samples back.
    #[test]
    fn the_basis_gives_the_samples_back() {
        for (n, width) in [(2, 1), (3, 2), (9, 1), (40, 3)] {
            let samples: Vec<f32> = (0..n * width).map(|i| (i as f32 * 1.7).sin()).collect();
            let mut c: Vec<f32> = samples.iter().map(|v| GAIN * v).collect();
            recurse(&mut c, n, width);
            for row in 0..n {
                for k in 0..width {
                    let at = |r: isize| {
                        let last = n as isize - 1;
                        let r = r.abs();
                        c[(if r > last { 2 * last - r } else { r }) as usize * width + k]
                    };
                    let r = row as isize;
                    let back = (at(r - 1) + 4.0 * at(r) + at(r + 1)) / 6.0;
                    assert!((back - samples[row * width + k]).abs() < 2e-5, "{n} {row}: {back}");
                }
            }
        }
    }
}
