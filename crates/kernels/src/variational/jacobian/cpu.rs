//! CPU text of [`Jacobian`].

use super::{Jacobian, Statistics};
use crate::image::convolve::cpu::pad_row;
use crate::shared::lanes::{LANES, Lanes, Pack};
use multiversion::multiversion;
use veloxel_core::Axes;
use veloxel_gpu::rows::{Shared, with_scratch};
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn jacobian<const D: usize>(cpu: &Cpu, args: Jacobian<'_>) -> Statistics {
    let Jacobian { shape, spacing_edges: spacing, displacement, weight, out } = args;
    let [nx, ny, nz] = shape.size;
    let shared = Shared::new(out.host_mut());
    let mut extremes = vec![[f32::INFINITY, f32::NEG_INFINITY]; shape.rows()];
    let slots = Shared::new(&mut extremes);
    let sums = cpu.sum(shape.rows(), 4 * shape.len(), |rows| {
        with_scratch((D + 1) * nx + 2 * D, |scratch| {
            let (scale_x, padded) = scratch.split_at_mut(nx);
            scale_x.fill(0.5 / spacing[0]);
            for end in [0, nx - 1] {
                scale_x[end] = if nx == 1 { 0.0 } else { 1.0 / spacing[0] };
            }
            let mut sums = [0.0; 4];
            for row in rows {
                let span = |row: usize| row * nx..(row + 1) * nx;
                let around = Around::<D>::of(row, [ny, nz], spacing, displacement);
                for (component, line) in displacement.iter().zip(padded.chunks_exact_mut(nx + 2)) {
                    pad_row(&component.host()[span(row)], 1, line);
                }
                let weight = weight.map(|w| &w.host()[span(row)]);
                // SAFETY: every row is written by one thread.
                let out = unsafe { shared.get_mut(span(row)) };
                let (add, extreme) = jacobian_row(&around, padded, scale_x, weight, out);
                sums.iter_mut().zip(add).for_each(|(s, a)| *s += f64::from(a));
                // SAFETY: one thread a row.
                let slot = unsafe { slots.get_mut(row..row + 1) };
                slot[0] = extreme;
            }
            sums
        })
    });
    extremes.into_iter().fold(Statistics { sums, ..Statistics::NONE }, |all, [min, max]| Statistics {
        min: all.min.min(min),
        max: all.max.max(max),
        ..all
    })
}

/// The rows beside a row: of each component y − 1, y + 1, z − 1, z + 1, the row itself beyond the border.
struct Around<'a, const D: usize> {
    near: [[&'a [f32]; 4]; D],
    /// One over the distance between them, along y and z.
    scale: [f32; 2],
}

impl<'a, const D: usize> Around<'a, D> {
    fn of(row: usize, [ny, nz]: [usize; 2], spacing: Axes<f32>, displacement: &'a [Buffer]) -> Self {
        let mut around = Self { near: [[&[]; 4]; D], scale: [0.0; 2] };
        for (axis, (at, count, stride)) in [(row % ny, ny, 1), (row / ny, nz, ny)].into_iter().enumerate() {
            let low = if at > 0 { row - stride } else { row };
            let high = if at + 1 < count { row + stride } else { row };
            let steps = (high - low) / stride;
            around.scale[axis] = if steps == 0 { 0.0 } else { 1.0 / (steps as f32 * spacing[axis + 1]) };
            for (near, component) in around.near.iter_mut().zip(displacement) {
                let nx = component.len() / (ny * nz);
                near[2 * axis] = &component.host()[low * nx..][..nx];
                near[2 * axis + 1] = &component.host()[high * nx..][..nx];
            }
        }
        around
    }
}

/// One row: det − 1, the four sums, and the extremes of det.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn jacobian_row<const D: usize>(
    around: &Around<'_, D>,
    padded: &[f32],
    scale_x: &[f32],
    weight: Option<&[f32]>,
    out: &mut [f32],
) -> ([f32; 4], [f32; 2]) {
    let n = out.len();
    let mut sums = [Lanes::splat(0.0); 4];
    let (mut min, mut max) = (Lanes::splat(f32::INFINITY), Lanes::splat(f32::NEG_INFINITY));
    for x in (0..n).step_by(LANES) {
        let zero = Lanes::splat(0.0);
        let mut g = [[zero; 3]; 3];
        for c in 0..D {
            let line = &padded[c * (n + 2)..(c + 1) * (n + 2)];
            let along = Lanes::load_or_zero(line, x + 2) - Lanes::load_or_zero(line, x);
            g[c][0] = along * Lanes::load_or_zero(scale_x, x);
            for axis in 1..D {
                let [low, high] = [around.near[c][2 * axis - 2], around.near[c][2 * axis - 1]];
                let difference = Lanes::load_or_zero(high, x) - Lanes::load_or_zero(low, x);
                g[c][axis] = difference * Lanes::splat(around.scale[axis - 1]);
            }
        }
        let change = det_minus_one(&g);
        change.store_what_fits(out, x);
        let weight = weight.map_or(Lanes::splat(1.0), |w| Lanes::load_or_zero(w, x));
        let divergence = g[0][0] + g[1][1] + g[2][2];
        let left = (n - x) as f32;
        for k in 0..LANES {
            let (change, divergence) = (change.0[k], divergence.0[k]);
            let counts = !change.is_nan() & (weight.0[k] > 0.0) & ((k as f32) < left);
            sums[0].0[k] += if counts { 1.0 } else { 0.0 };
            sums[1].0[k] += if counts & (change <= -1.0) { 1.0 } else { 0.0 };
            sums[2].0[k] += if counts { change.abs() } else { 0.0 };
            sums[3].0[k] += if counts { divergence * divergence } else { 0.0 };
            let det = 1.0 + change;
            min.0[k] = if counts & (det < min.0[k]) { det } else { min.0[k] };
            max.0[k] = if counts & (det > max.0[k]) { det } else { max.0[k] };
        }
    }
    let sums = sums.map(|s| s.0.iter().sum());
    (
        sums,
        [
            min.0.into_iter().fold(f32::INFINITY, f32::min),
            max.0.into_iter().fold(f32::NEG_INFINITY, f32::max),
        ],
    )
}

/// det(I + g) − 1 = tr g + (sum of principal 2 × 2 minors) + det g: no cancellation against 1.
#[inline(always)]
fn det_minus_one(g: &[[Lanes; 3]; 3]) -> Lanes {
    let [[a, b, c], [d, e, f], [h, i, j]] = *g;
    // From left to right, as the shader. In 2-D all that holds a third axis is 0.
    let minors = a + j + e + a * e - b * d + a * j - c * h + e * j - f * i;
    minors + a * (e * j - f * i) - b * (d * j - f * h) + c * (d * i - e * h)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use veloxel_core::{Dimension, Shape};
    use veloxel_gpu::Device;

    #[test]
    fn a_linear_map_has_its_determinant() {
        let device = Device::cpu(2).unwrap();
        let shape = Shape { size: [21, 7, 6], dimension: Dimension::Three };
        let m = [[0.1, 0.2, 0.0], [-0.1, 0.05, 0.3], [0.0, 0.1, -0.2f32]];
        let spacing = [1.0, 2.0, 1.5];
        let field: Vec<Buffer> = m
            .iter()
            .map(|r| {
                let at = |i: usize| {
                    r[0] * (i % 21) as f32 + r[1] * 2.0 * (i / 21 % 7) as f32 + r[2] * 1.5 * (i / 147) as f32
                };
                device.upload((0..shape.len()).map(at).collect()).unwrap()
            })
            .collect();
        let mut out = device.zeros(shape.len()).unwrap();
        let kernel =
            Jacobian { shape, spacing_edges: spacing, displacement: &field, weight: None, out: &mut out };
        let report = kernel.run(&device).unwrap().get(&device).unwrap();
        let expected = det_minus_one(&m.map(|r| r.map(Lanes::splat))).0[0];
        assert!(
            (report.min - 1.0 - f64::from(expected)).abs() < 1e-5 && (report.max - report.min).abs() < 1e-5
        );
        assert_eq!(report.share_folded, 0.0);
    }
}
