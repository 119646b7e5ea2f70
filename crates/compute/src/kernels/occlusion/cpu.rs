//! Processor text of [`super::visibility`].

use super::{OUTSIDE, Scales};
use crate::exponential::exponential;
use crate::rows::Shared;
use crate::{Axes, Buffer, Cpu, Shape};

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
            for (x, out) in out.iter_mut().enumerate() {
                let i = row * nx + x;
                if warped[i].is_nan() {
                    *out = OUTSIDE;
                    continue;
                }
                let axes = [(x, nx, 1), (row % ny, ny, nx), (row / ny, nz, nx * ny)];
                let mut divergence = 0.0;
                for ((component, (at, count, stride)), per_edge) in
                    displacement.iter().zip(axes).zip(per_edge)
                {
                    let d = component.host();
                    let (low, high) =
                        (if at > 0 { i - stride } else { i }, if at + 1 < count { i + stride } else { i });
                    let per_step = if high - low == 2 * stride { 0.5 * per_edge } else { per_edge };
                    divergence += (d[high] - d[low]) * per_step;
                }
                let (closing, difference) = (divergence.min(0.0), warped[i] - fixed[i]);
                *out = exponential(-closing * closing * per_d2 - difference * difference * per_i2);
            }
        }
    });
}
