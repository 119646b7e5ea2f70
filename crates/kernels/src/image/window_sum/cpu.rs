//! Processor text of [`super::WindowSum`].

use crate::image::convolve::cpu::for_each_band;
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, with_scratch};

pub(crate) fn window_sum(cpu: &Cpu, shape: Shape, radius: Axes<usize>, input: &[f32], output: &mut [f32]) {
    let [nx, ny, nz] = shape.size;
    let [rx, ry, rz] = radius;
    let shared = Shared::new(output);
    for_each_band(cpu, shape, ry, |z, band| {
        let rows = band.len() + 2 * ry;
        with_scratch((rows + 2) * nx + 6 * rx, |scratch| {
            let (rows, lines) = scratch.split_at_mut(rows * nx);
            for (nth, row) in rows.chunks_exact_mut(nx).enumerate() {
                match (band.start + nth).checked_sub(ry).filter(|&y| y < ny) {
                    Some(y) => sum_line(&input[(z * ny + y) * nx..][..nx], rx, lines, row),
                    None => row.fill(0.0),
                }
            }
            sum_rows(rows, nx, ry, |nth| {
                let start = (z * ny + band.start + nth) * nx;
                // SAFETY: bands are disjoint, and no thread reads the output.
                unsafe { shared.get_mut(start..start + nx) }
            });
        });
    });
    if shape.components() == 3 && rz > 0 {
        sum_along_z(cpu, nx * ny, nz, rz, &shared);
    }
}

/// Number of samples of a row that run along z together.
const PANEL_SAMPLES: usize = 1024;

/// Sums along z in place, panel by panel.
fn sum_along_z(cpu: &Cpu, plane: usize, nz: usize, radius: usize, samples: &Shared<'_>) {
    let panel = PANEL_SAMPLES.min(plane);
    cpu.split(plane.div_ceil(panel), plane * nz, |range| {
        for job in range {
            let (start, end) = (job * panel, ((job + 1) * panel).min(plane));
            let width = end - start;
            with_scratch((nz + 2 * radius) * width, |rows| {
                rows[..radius * width].fill(0.0);
                rows[(radius + nz) * width..].fill(0.0);
                for z in 0..nz {
                    // SAFETY: panels are disjoint, and all planes of one are read before the first is written.
                    let row = unsafe { samples.get(z * plane + start..z * plane + end) };
                    rows[(radius + z) * width..][..width].copy_from_slice(row);
                }
                // SAFETY: as above.
                let out = |z: usize| unsafe { samples.get_mut(z * plane + start..z * plane + end) };
                sum_rows(rows, width, radius, out);
            });
        }
    });
}

/// Sums `2 radius + 1` rows, from each row on that has as many after it; the rows are overwritten.
fn sum_rows<'o>(rows: &mut [f32], width: usize, radius: usize, out: impl Fn(usize) -> &'o mut [f32]) {
    let (count, window) = (rows.len() / width, 2 * radius + 1);
    let sums = count + 1 - window;
    for nth in 0..sums {
        out(nth).copy_from_slice(&rows[nth * width..][..width]);
    }
    let (mut from, mut step) = (1, 1);
    while 2 * step <= window {
        for nth in 0..count - (2 * step - 1) {
            let (row, later) = rows[nth * width..].split_at_mut(step * width);
            add(&later[..width], &mut row[..width]);
        }
        step *= 2;
        if window & step != 0 {
            for nth in 0..sums {
                add(&rows[(nth + from) * width..][..width], out(nth));
            }
            from += step;
        }
    }
}

/// Sums along a line, with two lines of scratch that have room for the window beyond both ends.
fn sum_line(input: &[f32], radius: usize, lines: &mut [f32], out: &mut [f32]) {
    if radius == 0 {
        return out.copy_from_slice(input);
    }
    let (n, window) = (input.len(), 2 * radius + 1);
    let length = n + 2 * radius;
    let (mut line, rest) = lines.split_at_mut(length);
    let mut next = &mut rest[..length];
    line[..radius].fill(0.0);
    line[radius..radius + n].copy_from_slice(input);
    line[radius + n..].fill(0.0);
    out.copy_from_slice(&line[..n]);
    let (mut from, mut step) = (1, 1);
    while 2 * step <= window {
        let sums = length - (2 * step - 1);
        add_up(&line[..sums], &line[step..][..sums], &mut next[..sums]);
        (line, next) = (next, line);
        step *= 2;
        if window & step != 0 {
            add(&line[from..][..n], out);
            from += step;
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add(values: &[f32], out: &mut [f32]) {
    for (o, &v) in out.iter_mut().zip(values) {
        *o += v;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_up(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *o = a + b;
    }
}
