//! Processor text of the Gabor pyramid.

use super::{FILTERS, Filters, Levels, ORIENTATIONS, RADIUS, RESPONSES};
use crate::Cpu;
use crate::lanes::{LANES, Lanes};
use crate::rows::{Shared, with_scratch};
use multiversion::multiversion;

/// Rows that a filter sees.
const TAPS: usize = 2 * RADIUS + 1;

pub(super) fn pyramid(cpu: &Cpu, levels: &Levels, picture: &[f32], out: &mut [f32]) {
    out[..picture.len()].copy_from_slice(picture);
    for level in 1..levels.count() {
        let (finer, coarser) = out[levels.start(level - 1)..].split_at_mut(levels.pixels(level - 1));
        let [nx, ny] = levels.size(level);
        let fine_size = levels.size(level - 1);
        let shared = Shared::new(&mut coarser[..nx * ny]);
        cpu.split(ny, 4 * nx * ny, |rows| {
            for y in rows {
                // SAFETY: every row is written by one thread.
                let out = unsafe { shared.get_mut(y * nx..(y + 1) * nx) };
                halve_row((finer, fine_size), y, out);
            }
        });
    }
}

/// One row of the next level: along y, then along x.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn halve_row((finer, [nx, ny]): (&[f32], [usize; 2]), y: usize, out: &mut [f32]) {
    let row = |offset: usize| {
        let y = (2 * y + offset).saturating_sub(2).min(ny - 1);
        &finer[y * nx..(y + 1) * nx]
    };
    let [a, b, c, d, e] = [row(0), row(1), row(2), row(3), row(4)];
    with_scratch(nx + 4, |line| {
        for (x, out) in line[2..nx + 2].iter_mut().enumerate() {
            *out = (a[x] + e[x]) + 4.0 * (b[x] + d[x]) + 6.0 * c[x];
        }
        let (first, last) = (line[2], line[nx + 1]);
        line[..2].fill(first);
        line[nx + 2..].fill(last);
        for (x, out) in out.iter_mut().enumerate() {
            let s = &line[2 * x..2 * x + 5];
            *out = ((s[0] + s[4]) + 4.0 * (s[1] + s[3]) + 6.0 * s[2]) * (1.0 / 256.0);
        }
    });
}

pub(super) fn responses(cpu: &Cpu, (levels, filters): (&Levels, &Filters), image: &[f32], out: &mut [f32]) {
    let shared = Shared::new(out);
    for level in 0..levels.count() {
        let (start, [nx, ny]) = (levels.start(level), levels.size(level));
        let image = &image[start..start + nx * ny];
        cpu.split(ny, 16 * nx * ny, |rows| {
            // One line a filter: border, row, border, and what whole lanes read beyond.
            let width = nx + 2 * RADIUS + LANES;
            with_scratch(FILTERS * width, |lines| {
                for y in rows {
                    let at = RESPONSES * (start + y * nx);
                    // SAFETY: every row is written by one thread.
                    let out = unsafe { shared.get_mut(at..at + RESPONSES * nx) };
                    filter_row((image, [nx, ny]), (filters, y), (lines, width), out);
                }
            });
        });
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn filter_row(
    (image, [nx, ny]): (&[f32], [usize; 2]),
    (filters, y): (&Filters, usize),
    (lines, width): (&mut [f32], usize),
    out: &mut [f32],
) {
    let rows: [&[f32]; TAPS] = std::array::from_fn(|k| {
        let y = (y + k).saturating_sub(RADIUS).min(ny - 1);
        &image[y * nx..(y + 1) * nx]
    });
    for x in (0..nx).step_by(LANES) {
        let sides = Sides::of(|k| Lanes::load_or_zero(rows[k], x));
        for (f, line) in lines.chunks_exact_mut(width).enumerate() {
            let sum = if f == 0 || f % 2 == 1 { sides.even(filters, f) } else { sides.odd(filters, f) };
            sum.store_what_fits(&mut line[..RADIUS + nx], RADIUS + x);
        }
    }
    for line in lines.chunks_exact_mut(width) {
        let (first, last) = (line[RADIUS], line[RADIUS + nx - 1]);
        line[..RADIUS].fill(first);
        line[RADIUS + nx..].fill(last);
    }
    for x in (0..nx).step_by(LANES) {
        let sides = |f: usize| Sides::of(|k| Lanes::load_or_zero(&lines[f * width..(f + 1) * width], x + k));
        let mut all = [Lanes::splat(0.0); RESPONSES];
        let gaussian = sides(0);
        all[0] = gaussian.even(filters, 1);
        all[ORIENTATIONS] = gaussian.odd(filters, 2);
        let constant = gaussian.even(filters, 0) * Lanes::splat(filters.diagonal_constant);
        all[4] = sides(1).even(filters, 0);
        all[ORIENTATIONS + 4] = sides(2).even(filters, 0);
        for k in 1..4 {
            // Orientation k has the frequencies cos(kπ/8) along x and cos((4 − k)π/8) along y.
            let (along_x, along_y) = (1 + 2 * k, 9 - 2 * k);
            let (even, odd) = (sides(along_y), sides(along_y + 1));
            let (ee, oe) = (even.even(filters, along_x), even.odd(filters, along_x + 1));
            let ee = if k == 2 { ee - constant } else { ee };
            let (eo, oo) = (odd.even(filters, along_x), odd.odd(filters, along_x + 1));
            all[k] = ee - oo;
            all[k + 4] = ee + oo;
            all[ORIENTATIONS + k] = oe + eo;
            all[ORIENTATIONS + k + 4] = eo - oe;
        }
        let count = LANES.min(nx - x);
        let pixels = out[RESPONSES * x..RESPONSES * (x + count)].chunks_exact_mut(RESPONSES);
        for (k, pixel) in pixels.enumerate() {
            for (number, response) in pixel.iter_mut().zip(&all) {
                *number = response.0[k];
            }
        }
    }
}

/// Sums and differences of what stands on either side.
struct Sides {
    centre: Lanes,
    sum: [Lanes; RADIUS],
    difference: [Lanes; RADIUS],
}

impl Sides {
    #[inline(always)]
    fn of(tap: impl Fn(usize) -> Lanes) -> Self {
        let [mut sum, mut difference] = [[Lanes::splat(0.0); RADIUS]; 2];
        for k in 0..RADIUS {
            let (before, after) = (tap(RADIUS - 1 - k), tap(RADIUS + 1 + k));
            sum[k] = after + before;
            difference[k] = after - before;
        }
        Self { centre: tap(RADIUS), sum, difference }
    }
    #[inline(always)]
    fn even(&self, filters: &Filters, f: usize) -> Lanes {
        let weights = &filters.weights[f];
        let mut total = self.centre * Lanes::splat(weights[0]);
        for k in 0..RADIUS {
            total = total + self.sum[k] * Lanes::splat(weights[k + 1]);
        }
        total
    }
    #[inline(always)]
    fn odd(&self, filters: &Filters, f: usize) -> Lanes {
        let weights = &filters.weights[f];
        let mut total = self.difference[0] * Lanes::splat(weights[1]);
        for k in 1..RADIUS {
            total = total + self.difference[k] * Lanes::splat(weights[k + 1]);
        }
        total
    }
}
