//! Processor text of [`super::valid_median`](fn@super::valid_median).

use super::{Planes, Window};
use crate::Cpu;
use crate::expansion::Coarser;
use crate::lanes::LANES;
use crate::rows::{Shared, with_scratch};
use multiversion::multiversion;

pub(super) fn valid_median(
    cpu: &Cpu,
    (planes, window): (Planes, Window),
    (estimates, coarser): (&[f32], Option<&[f32]>),
    (out, confidence): (&mut [f32], Option<&mut [f32]>),
) {
    let [nx, ny] = planes.size;
    let n = nx * ny;
    let size = [nx, ny].map(|n| n.div_ceil(2));
    let (out, radius) = (Shared::new(out), window.radius());
    let known = confidence.as_ref().map_or(0, |c| c.len() / n);
    let confidence = confidence.map(Shared::new);
    cpu.split(planes.count * ny, 8 * planes.count * n, |rows| {
        for row in rows {
            let (plane, y) = (row / ny, row % ny);
            let range = row * nx..(row + 1) * nx;
            // SAFETY: every row is written by one thread.
            let out = unsafe { out.get_mut(range.clone()) };
            let estimates = &estimates[plane * n..(plane + 1) * n];
            let cut = y.saturating_sub(radius)..(y + radius + 1).min(ny);
            let lines = cut.map(|y| &estimates[y * nx..(y + 1) * nx]);
            // Every window row between unknown samples, which whole lanes may read.
            let width = nx + 2 * radius + LANES;
            with_scratch(lines.len() * width, |padded| {
                for (line, padded) in lines.zip(padded.chunks_exact_mut(width)) {
                    padded[..radius].fill(f32::NAN);
                    padded[radius..radius + nx].copy_from_slice(line);
                    padded[radius + nx..].fill(f32::NAN);
                }
                match window {
                    Window::One => out.copy_from_slice(&estimates[y * nx..(y + 1) * nx]),
                    Window::Three => median_row_of_three(padded, width, out),
                    Window::Five => median_row_of_five(padded, width, out),
                }
            });
            if let Some(coarser) = coarser {
                let samples = &coarser[plane * size[0] * size[1]..(plane + 1) * size[0] * size[1]];
                let coarser = Coarser { size, samples };
                for (x, out) in out.iter_mut().enumerate().filter(|(_, out)| out.is_nan()) {
                    *out = coarser.at(x, y);
                }
            }
            if let Some(confidence) = &confidence
                && plane < known
            {
                // SAFETY: as above.
                let confidence = unsafe { confidence.get_mut(range) };
                for (c, out) in confidence.iter_mut().zip(out.iter()) {
                    *c = if out.is_nan() { 0.0 } else { *c };
                }
            }
        }
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn median_row_of_three(padded: &[f32], width: usize, out: &mut [f32]) {
    median_row::<1, 5>(padded, width, out);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn median_row_of_five(padded: &[f32], width: usize, out: &mut [f32]) {
    median_row::<2, 13>(padded, width, out);
}

/// Medians of windows of radius `R`, whose lower half holds `H` samples: one sample after the other is let into the sorted
/// lower half, the greatest falls out.
#[inline(always)]
fn median_row<const R: usize, const H: usize>(padded: &[f32], width: usize, out: &mut [f32]) {
    let nx = out.len();
    let lines = padded.len() / width;
    for x in (0..nx).step_by(LANES) {
        let mut sorted = [[f32::MAX; LANES]; H];
        let mut count = [0i32; LANES];
        for line in padded.chunks_exact(width) {
            for offset in 0..=2 * R {
                let mut value = [0.0; LANES];
                value.copy_from_slice(&line[x + offset..x + offset + LANES]);
                for k in 0..LANES {
                    let is_unknown = value[k].is_nan();
                    count[k] += i32::from(!is_unknown);
                    value[k] = if is_unknown { f32::MAX } else { value[k] };
                }
                for slot in &mut sorted {
                    for k in 0..LANES {
                        let (a, b) = (slot[k], value[k]);
                        slot[k] = if b < a { b } else { a };
                        value[k] = if b < a { a } else { b };
                    }
                }
            }
        }
        for (k, out) in out[x..].iter_mut().take(LANES).enumerate() {
            let columns = (x + k + R + 1).min(nx) - (x + k).saturating_sub(R);
            let known = count[k] as usize;
            *out = if 2 * known <= columns * lines {
                f32::NAN
            } else if known % 2 == 1 {
                sorted[known / 2][k]
            } else {
                0.5 * (sorted[known / 2 - 1][k] + sorted[known / 2][k])
            };
        }
    }
}
