//! Processor text of [`super::Convolve`], and the ring of rows that the motion tensor shares.

use crate::shared::lanes::{LANES, Lanes, Pack};
use crate::shared::taps::Taps;
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, with_scratch};

pub(crate) fn convolve(cpu: &Cpu, shape: Shape, taps: &Axes<Taps>, input: &[f32], output: &mut [f32]) {
    let [nx, ny, _] = shape.size;
    let out = Shared::new(output);
    for_each_band(cpu, shape, taps[1].radius(), |z, band| {
        let plane = z * ny * nx;
        smooth_band::<1>(
            nx,
            ny,
            band,
            &taps[0],
            &taps[1],
            |y, row| row.copy_from_slice(&input[plane + y * nx..][..nx]),
            // SAFETY: bands are disjoint and no thread reads the output.
            |_, y| unsafe { out.get_mut(plane + y * nx..plane + (y + 1) * nx) },
        );
    });
    if shape.components() == 3 {
        smooth_along_z(cpu, shape, &taps[2], output);
    }
}

/// Calls `work(z, band of y)` for bands that cover every plane; a band repeats `halo` rows of its neighbours' work.
pub(crate) fn for_each_band(cpu: &Cpu, shape: Shape, halo: usize, work: impl Fn(usize, Range<usize>) + Sync) {
    let [_, ny, nz] = shape.size;
    let rows = if nz >= 4 * cpu.threads() { ny } else { (8 * halo).max(16).min(ny) };
    let bands = ny.div_ceil(rows);
    cpu.split(nz * bands, (4 + 2 * halo) * shape.len(), |range| {
        for job in range {
            let (z, band) = (job / bands, job % bands);
            work(z, band * rows..((band + 1) * rows).min(ny));
        }
    });
}

/// Smooths `C` channels of a band of one plane along y and x.
///
/// `provide(y, rows)` writes the `C` unsmoothed rows of `y`, one after the other; `emit(channel, y)` lends the output row.
pub(crate) fn smooth_band<'o, const C: usize>(
    nx: usize,
    ny: usize,
    band: Range<usize>,
    taps_x: &Taps,
    taps_y: &Taps,
    mut provide: impl FnMut(usize, &mut [f32]),
    mut emit: impl FnMut(usize, usize) -> &'o mut [f32],
) {
    let (radius_x, radius_y) = (taps_x.radius(), taps_y.radius());
    let slots = 2 * radius_y + 1;
    with_scratch(slots * C * nx + nx + 2 * radius_x, |scratch| {
        let (ring, line) = scratch.split_at_mut(slots * C * nx);
        let first = band.start as isize - radius_y as isize;
        let last = (band.end + radius_y) as isize;
        for y in first..last {
            let nth = (y - first) as usize;
            let inside = y.clamp(0, ny as isize - 1) as usize;
            provide(inside, &mut ring[nth % slots * C * nx..][..C * nx]);
            let done = y - radius_y as isize;
            if done < band.start as isize {
                continue;
            }
            for c in 0..C {
                let out = emit(c, done as usize);
                let rows = Ring { samples: &ring[c * nx..], stride: C * nx, slots, first: (nth + 1) % slots };
                if taps_x.is_identity() {
                    rows.filter(taps_y.weights(), out);
                } else {
                    rows.filter(taps_y.weights(), &mut line[radius_x..radius_x + nx]);
                    pad_line(line, radius_x..radius_x + nx);
                    filter_line(line, taps_x.weights(), out);
                }
            }
        }
    });
}

/// Rows that follow each other, the oldest at slot `first`.
#[derive(Clone, Copy)]
struct Ring<'a> {
    samples: &'a [f32],
    stride: usize,
    slots: usize,
    first: usize,
}

impl Ring<'_> {
    /// The weighted sum of all rows, from the oldest to the youngest; weights count from the one in the middle.
    fn filter(self, weights: &[f32], out: &mut [f32]) {
        let slot = |k: usize| (self.first + k) % self.slots * self.stride;
        let width = out.len();
        filter_rows(|k| &self.samples[slot(k)..][..width], weights, out);
    }
}

/// The weighted sum of rows, from the first to the last; weights count from the one in the middle.
pub(crate) fn filter_rows<'r>(row: impl Fn(usize) -> &'r [f32], weights: &[f32], out: &mut [f32]) {
    let radius = weights.len() - 1;
    if let &[centre, beside] = weights {
        return three_rows([row(0), row(1), row(2)], [centre, beside], out);
    }
    let weight = |k: usize| weights[k.abs_diff(radius)];
    scale_row(row(0), weight(0), out);
    let (mut k, end) = (1, 2 * radius + 1);
    while k + 8 <= end {
        add_rows::<8>(std::array::from_fn(|i| row(k + i)), std::array::from_fn(|i| weight(k + i)), out);
        k += 8;
    }
    while k < end {
        add_rows::<2>([row(k), row(k + 1)], [weight(k), weight(k + 1)], out);
        k += 2;
    }
}

/// Number of samples of a panel's rows, which run through the z ring together: enough for the memory to stream.
const PANEL_SAMPLES: usize = 2048;

/// Smooths along z in place, panel by panel.
pub(crate) fn smooth_along_z(cpu: &Cpu, shape: Shape, taps: &Taps, samples: &mut [f32]) {
    let nz = shape.size[2];
    if taps.is_identity() || nz == 1 {
        return;
    }
    let plane = shape.size[0] * shape.size[1];
    let panel = PANEL_SAMPLES.min(plane);
    let radius = taps.radius();
    let slots = 2 * radius + 1;
    let shared = Shared::new(samples);
    cpu.split(plane.div_ceil(panel), shape.len(), |range| {
        for job in range {
            let (start, end) = (job * panel, ((job + 1) * panel).min(plane));
            let width = end - start;
            with_scratch(slots * width, |ring| {
                for step in 0..nz + 2 * radius {
                    let z = (step as isize - radius as isize).clamp(0, nz as isize - 1) as usize;
                    // SAFETY: panels are disjoint; within one, plane z is read before it is written.
                    let row = unsafe { shared.get(z * plane + start..z * plane + end) };
                    // Beyond the last plane the border value comes from the ring: the plane itself is smoothed already.
                    let slot = step % slots;
                    if step > radius + nz - 1 {
                        let before = (step - 1) % slots * width;
                        ring.copy_within(before..before + width, slot * width);
                    } else {
                        ring[slot * width..][..width].copy_from_slice(row);
                    }
                    if step < 2 * radius {
                        continue;
                    }
                    let z_out = step - 2 * radius;
                    // SAFETY: as above.
                    let out = unsafe { shared.get_mut(z_out * plane + start..z_out * plane + end) };
                    let rows = Ring { samples: ring, stride: width, slots, first: (step + 1) % slots };
                    rows.filter(taps.weights(), out);
                }
            });
        }
    });
}

/// Copies a row between `radius` replicated border samples on either side.
pub(crate) fn pad_row(row: &[f32], radius: usize, line: &mut [f32]) {
    let line = &mut line[..row.len() + 2 * radius];
    line[radius..][..row.len()].copy_from_slice(row);
    pad_line(line, radius..radius + row.len());
}

/// Replicates the border samples of a line whose middle is filled.
#[inline(always)]
pub(crate) fn pad_line(line: &mut [f32], middle: Range<usize>) {
    let (first, last) = (line[middle.start], line[middle.end - 1]);
    line[..middle.start].fill(first);
    line[middle.end..].fill(last);
}

/// The weighted sum of a padded line's samples around each, from the middle outwards.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(crate) fn filter_line(line: &[f32], weights: &[f32], out: &mut [f32]) {
    let (n, radius) = (out.len(), weights.len() - 1);
    if let &[centre, beside] = weights {
        let (left, middle, right) = (&line[..n], &line[1..][..n], &line[2..][..n]);
        for i in 0..n {
            out[i] = centre * middle[i] + beside * (left[i] + right[i]);
        }
        return;
    }
    assert!(line.len() >= n + 2 * radius, "a padded line should hold what every sample reads");
    let last = n - n % LANES;
    for x in (0..last).step_by(LANES) {
        // SAFETY: the pack ends before n, and what it reads before n + 2 · radius.
        weighted(weights, |at| unsafe { Lanes::load(line, x + at) }).store_what_fits(out, x);
    }
    if last < n {
        weighted(weights, |at| Lanes::load_or_zero(line, last + at)).store_what_fits(out, last);
    }
}

/// The weighted sum of a pack and the packs around it; `load` returns the pack at an offset from the first of them.
#[inline(always)]
fn weighted(weights: &[f32], load: impl Fn(usize) -> Lanes) -> Lanes {
    let radius = weights.len() - 1;
    let mut sum = Lanes::splat(weights[0]) * load(radius);
    for (k, &w) in weights.iter().enumerate().skip(1) {
        sum = sum + Lanes::splat(w) * (load(radius - k) + load(radius + k));
    }
    sum
}

/// Filters three rows as [`filter_rows`] does for radius 1, in one pass.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn three_rows([a, b, c]: [&[f32]; 3], [centre, beside]: [f32; 2], out: &mut [f32]) {
    let n = out.len();
    let (a, b, c) = (&a[..n], &b[..n], &c[..n]);
    for i in 0..n {
        out[i] = beside * a[i] + centre * b[i] + beside * c[i];
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn scale_row(row: &[f32], weight: f32, out: &mut [f32]) {
    for (o, &v) in out.iter_mut().zip(row) {
        *o = weight * v;
    }
}

/// Adds weighted rows, one after the other.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_rows<const N: usize>(rows: [&[f32]; N], weights: [f32; N], out: &mut [f32]) {
    let n = out.len();
    let rows = rows.map(|row| &row[..n]);
    for i in 0..n {
        let mut sum = out[i];
        for k in 0..N {
            sum += weights[k] * rows[k][i];
        }
        out[i] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Dimension, Grid};

    fn direct(shape: Shape, taps: &Taps, axis: usize, input: &[f32]) -> Vec<f32> {
        let grid = match shape.dimension {
            Dimension::Two => Grid::image(shape.size[0], shape.size[1]),
            Dimension::Three => Grid::volume(shape.size[0], shape.size[1], shape.size[2]),
        }
        .unwrap();
        (0..input.len())
            .map(|i| {
                let at = |offset: isize| {
                    let mut p = grid.position(i);
                    p[axis] = (p[axis] as isize + offset).clamp(0, shape.size[axis] as isize - 1) as usize;
                    input[grid.index(p)]
                };
                let w = taps.weights();
                w[0] * at(0) + (1..w.len()).map(|k| w[k] * (at(-(k as isize)) + at(k as isize))).sum::<f32>()
            })
            .collect()
    }

    #[test]
    fn equals_the_direct_sum_along_every_axis() {
        let taps = [Taps::gaussian(0.8, 3.0), Taps::gaussian(1.4, 2.5), Taps::gaussian(0.6, 3.0)];
        for (size, dimension) in
            [([33, 57, 1], Dimension::Two), ([13, 17, 9], Dimension::Three), ([5, 3, 1], Dimension::Three)]
        {
            let shape = Shape { size, dimension };
            let input: Vec<f32> = (0..shape.len()).map(|i| (i as f32 * 12.9898).sin()).collect();
            let mut expected = input.clone();
            for axis in 0..shape.components() {
                expected = direct(shape, &taps[axis], axis, &expected);
            }
            let mut out = vec![0.0; shape.len()];
            convolve(&Cpu::new(3).unwrap(), shape, &taps, &input, &mut out);
            for (a, b) in out.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-5, "{size:?}: {a} against {b}");
            }
        }
    }
}
