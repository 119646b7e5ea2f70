//! Processor text of [`super::ValidMedian`].

use super::{MedianWindow, ValidMedian, of_five};
use crate::shared::expansion::Coarser;
use crate::shared::lanes::{LANES, Lanes, ordered};
use multiversion::multiversion;
use veloxel_gpu::rows::{Shared, with_scratch};
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn valid_median(cpu: &Cpu, args: ValidMedian<'_>) {
    let ValidMedian { planes, window, estimates, coarser, out, confidence } = args;
    let ([nx, ny], n, size) = (planes.size, planes.pixels(), planes.coarser_size());
    let (estimates, coarser) = (estimates.host(), coarser.map(Buffer::host));
    let out = Shared::new(out.host_mut());
    let known = confidence.as_ref().map_or(0, |c| c.len() / n);
    let confidence = confidence.map(|c| Shared::new(c.host_mut()));
    cpu.split(planes.count * ny, 8 * planes.count * n, |rows| {
        for row in rows {
            let (plane, y) = (row / ny, row % ny);
            let range = row * nx..(row + 1) * nx;
            // SAFETY: every row is written by one thread.
            let out = unsafe { out.get_mut(range.clone()) };
            median_row(&estimates[plane * n..(plane + 1) * n], [nx, ny], y, window, out);
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

/// The medians of a plane's row.
fn median_row(plane: &[f32], [nx, ny]: [usize; 2], y: usize, window: MedianWindow, out: &mut [f32]) {
    let radius = window.radius();
    let cut = y.saturating_sub(radius)..(y + radius + 1).min(ny);
    let inside = cut.len();
    // Every window row between unknown samples, which whole lanes may read.
    let width = nx + 2 * radius + LANES;
    with_scratch(2 * of_five::SIDE * width, |scratch| {
        let (padded, sorted) = scratch.split_at_mut(of_five::SIDE * width);
        let lines = cut.map(|y| &plane[y * nx..(y + 1) * nx]);
        for (line, padded) in lines.zip(padded.chunks_exact_mut(width)) {
            padded[..radius].fill(f32::NAN);
            padded[radius..radius + nx].copy_from_slice(line);
            padded[radius + nx..].fill(f32::NAN);
        }
        match window {
            MedianWindow::One => out.copy_from_slice(&plane[y * nx..(y + 1) * nx]),
            MedianWindow::Three => median_row_of_three(&padded[..inside * width], width, out),
            MedianWindow::Five => {
                padded[inside * width..].fill(f32::NAN);
                of_five::medians(padded, sorted, width, inside, out);
            }
        }
    });
}

/// Medians of windows of 3×3.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn median_row_of_three(padded: &[f32], width: usize, out: &mut [f32]) {
    let nx = out.len();
    let lines = padded.len() / width;
    for x in (0..nx).step_by(LANES) {
        let is_whole = lines == 3
            && x + LANES <= nx
            && padded.chunks_exact(width).all(|line| of_five::is_known(&line[x..x + 2 + LANES]));
        let found =
            if is_whole { median_of_nine(padded, width, x) } else { by_insertion(padded, width, x, nx) };
        Lanes(found).store_what_fits(out, x);
    }
}

type Values = [f32; LANES];

#[inline(always)]
fn load(padded: &[f32], at: usize) -> Values {
    let mut values = [0.0; LANES];
    values.copy_from_slice(&padded[at..at + LANES]);
    values
}

#[inline(always)]
fn sort_three(a: Values, b: Values, c: Values) -> [Values; 3] {
    let (a, b) = ordered(a, b);
    let (b, c) = ordered(b, c);
    let (a, b) = ordered(a, b);
    [a, b, c]
}

/// The median of a window with sorted columns: it is the median of three values, the greatest of the least, the middle of the
/// middles and the least of the greatest.
#[inline(always)]
fn median_of_nine(padded: &[f32], width: usize, x: usize) -> Values {
    let column = |dx: usize| {
        sort_three(load(padded, x + dx), load(padded, width + x + dx), load(padded, 2 * width + x + dx))
    };
    let [a, b, c] = [column(0), column(1), column(2)];
    let least = ordered(ordered(a[0], b[0]).1, c[0]).1;
    let middle = sort_three(a[1], b[1], c[1])[1];
    let most = ordered(ordered(a[2], b[2]).0, c[2]).0;
    sort_three(least, middle, most)[1]
}

/// Medians of windows that are cut or hold unknown samples: one sample after the other is inserted into the sorted lower half,
/// and the greatest is dropped.
#[inline(always)]
fn by_insertion(padded: &[f32], width: usize, x: usize, nx: usize) -> Values {
    let lines = padded.len() / width;
    let mut sorted = [[f32::MAX; LANES]; 5];
    let mut count = [0i32; LANES];
    for line in padded.chunks_exact(width) {
        for offset in 0..3 {
            let mut value = load(line, x + offset);
            for k in 0..LANES {
                let is_unknown = value[k].is_nan();
                count[k] += i32::from(!is_unknown);
                value[k] = if is_unknown { f32::MAX } else { value[k] };
            }
            for slot in &mut sorted {
                (*slot, value) = ordered(*slot, value);
            }
        }
    }
    let mut out = [f32::NAN; LANES];
    for (k, out) in out.iter_mut().enumerate().take(nx - x) {
        let columns = (x + k + 2).min(nx) - (x + k).saturating_sub(1);
        let known = count[k] as usize;
        if 2 * known > columns * lines {
            let (lower, upper) = (sorted[(known - 1) / 2][k], sorted[known / 2][k]);
            *out = if known % 2 == 1 { upper } else { 0.5 * (lower + upper) };
        }
    }
    out
}
