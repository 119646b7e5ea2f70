//! Processor text of [`super::visibility`].

use super::{OUTSIDE, Scales};
use crate::shared::exponential::exponential;
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn visibility(
    cpu: &Cpu,
    (shape, spacing_edges, scales): (Shape, Axes<f32>, Scales),
    (displacement, fixed, warped): (&[Buffer], &Buffer, &Buffer),
    out: &mut [f32],
) {
    let n = shape.len();
    let [nx, ny, nz] = shape.size;
    let shared = Shared::new(out);
    let (fixed, warped) = (fixed.host(), warped.host());
    let per_edge = spacing_edges.map(|s| 1.0 / s);
    let (per_d2, per_i2) = (0.5 / scales.divergence.powi(2), 0.5 / scales.intensity.powi(2));
    cpu.split(shape.rows(), 4 * n, |rows| {
        for row in rows {
            // SAFETY: every row is written by one thread.
            let out = unsafe { shared.get_mut(row * nx..(row + 1) * nx) };
            out.fill(0.0);
            add_slope_along_row(&displacement[0].host()[row * nx..][..nx], per_edge[0], out);
            let across = [(row % ny, ny, 1), (row / ny, nz, ny)];
            for ((component, (at, count, stride)), per_edge) in
                displacement[1..].iter().zip(across).zip(&per_edge[1..])
            {
                let line = |row: usize| &component.host()[row * nx..][..nx];
                let (low, high) = (
                    if at > 0 { row - stride } else { row },
                    if at + 1 < count { row + stride } else { row },
                );
                let per_step = if high - low == 2 * stride { 0.5 * per_edge } else { *per_edge };
                for (sum, (high, low)) in out.iter_mut().zip(line(high).iter().zip(line(low))) {
                    *sum += (high - low) * per_step;
                }
            }
            let images = [fixed, warped].map(|image| &image[row * nx..][..nx]);
            visibility_of_divergence(images, [per_d2, per_i2], out);
        }
    });
}

/// Adds the derivative along the row: central, one-sided at its ends.
fn add_slope_along_row(line: &[f32], per_edge: f32, sum: &mut [f32]) {
    let last = line.len() - 1;
    if last == 0 {
        return;
    }
    sum[0] += (line[1] - line[0]) * per_edge;
    sum[last] += (line[last] - line[last - 1]) * per_edge;
    let per_step = 0.5 * per_edge;
    for (sum, w) in sum[1..].iter_mut().zip(line.windows(3)) {
        *sum += (w[2] - w[0]) * per_step;
    }
}

/// From divergences to visibilities.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn visibility_of_divergence([fixed, warped]: [&[f32]; 2], [per_d2, per_i2]: [f32; 2], out: &mut [f32]) {
    for ((out, fixed), warped) in out.iter_mut().zip(fixed).zip(warped) {
        let (closing, difference) = (out.min(0.0), warped - fixed);
        let visible = exponential(-closing * closing * per_d2 - difference * difference * per_i2);
        *out = if warped.is_nan() { OUTSIDE } else { visible };
    }
}
