//! Processor text of [`super::warp`].

use super::{Interpolation, Warp};
use crate::Axes;
use crate::device::Cpu;
use crate::rows::Shared;

pub(super) fn warp(cpu: &Cpu, args: &Warp<'_>, out: &mut [f32]) {
    let nx = args.shape.size[0];
    let out = Shared::new(out);
    cpu.split(args.shape.rows(), 4 * args.shape.len(), |rows| {
        for row in rows {
            // SAFETY: every row is written by one thread.
            let out = unsafe { out.get_mut(row * nx..(row + 1) * nx) };
            match args.shape.components() {
                2 => warp_row::<2>(args, row, out),
                _ => warp_row::<3>(args, row, out),
            }
        }
    });
}

fn warp_row<const D: usize>(args: &Warp<'_>, row: usize, out: &mut [f32]) {
    let [nx, ny, _] = args.shape.size;
    let (y, z) = (row % ny, row / ny);
    let d: [&[f32]; D] = std::array::from_fn(|c| &args.displacement[c].host()[row * nx..][..nx]);
    let per_edge = args.spacing_edges.map(|s| 1.0 / s);
    let a = &args.moving_from_fixed;
    // Positions are split into the row's start in f64 and small parts in f32, so that large volumes keep sub-voxel bits.
    let start = a.apply([0.0, y as f64, z as f64]);
    let matrix = a.matrix.map(|r| r.map(|v| v as f32));
    let identity = *a == super::VoxelAffine::IDENTITY;
    let sampler = Sampler::<D> { samples: args.moving.host(), size: args.shape.size };
    for (x, o) in out.iter_mut().enumerate() {
        let mut shift = [0.0f32; 3];
        for c in 0..D {
            shift[c] = d[c][x] * per_edge[c];
        }
        let mut at = [start[0] as f32, start[1] as f32, start[2] as f32];
        if identity {
            at[0] = x as f32 + shift[0];
            at[1] += shift[1];
            at[2] += shift[2];
        } else {
            for r in 0..D {
                at[r] += matrix[r][0] * x as f32
                    + matrix[r][0] * shift[0]
                    + matrix[r][1] * shift[1]
                    + matrix[r][2] * shift[2];
            }
        }
        *o = match args.interpolation {
            Interpolation::Linear => sampler.linear(at),
            Interpolation::CubicSpline => sampler.cubic_spline(at),
            Interpolation::Nearest => sampler.nearest(at),
        };
    }
}

/// Samples between the voxels of an image; NaN outside.
struct Sampler<'a, const D: usize> {
    samples: &'a [f32],
    size: Axes<usize>,
}

impl<const D: usize> Sampler<'_, D> {
    #[inline(always)]
    fn inside(&self, at: Axes<f32>) -> bool {
        // A rounding error beyond the border is still the border.
        const SLACK: f32 = 1e-3;
        (0..D).all(|c| at[c] >= -SLACK && at[c] <= (self.size[c] - 1) as f32 + SLACK)
    }

    #[inline(always)]
    fn nearest(&self, at: Axes<f32>) -> f32 {
        if !self.inside(at) {
            return f32::NAN;
        }
        let [x, y, z] = [0, 1, 2].map(|c: usize| {
            if c < D { (at[c] + 0.5).max(0.0).min((self.size[c] - 1) as f32) as usize } else { 0 }
        });
        self.samples[(z * self.size[1] + y) * self.size[0] + x]
    }

    /// Lower neighbour, offset to the upper one (0 on 1-voxel axes) and weight of the upper one.
    #[inline(always)]
    fn cell(&self, at: f32, axis: usize) -> (usize, usize, f32) {
        let n = self.size[axis];
        if n == 1 {
            return (0, 0, 0.0);
        }
        let clamped = at.max(0.0).min((n - 1) as f32);
        let low = (clamped as usize).min(n - 2);
        (low, 1, clamped - low as f32)
    }

    #[inline(always)]
    fn linear(&self, at: Axes<f32>) -> f32 {
        if !self.inside(at) {
            return f32::NAN;
        }
        let [nx, ny, _] = self.size;
        let ((x, sx, wx), (y, sy, wy)) = (self.cell(at[0], 0), self.cell(at[1], 1));
        let (z, sz, wz) = if D == 3 { self.cell(at[2], 2) } else { (0, 0, 0.0) };
        let base = (z * ny + y) * nx + x;
        let lerp = |a: f32, b: f32, w: f32| a + w * (b - a);
        let line = |i: usize| lerp(self.samples[i], self.samples[i + sx], wx);
        let plane = |i: usize| lerp(line(i), line(i + sy * nx), wy);
        if D == 3 { lerp(plane(base), plane(base + sz * nx * ny), wz) } else { plane(base) }
    }

    #[inline(always)]
    fn cubic_spline(&self, at: Axes<f32>) -> f32 {
        if !self.inside(at) {
            return f32::NAN;
        }
        let [nx, ny, _] = self.size;
        let (ix, wx) = self.spline_cell(at[0], 0);
        let (iy, wy) = self.spline_cell(at[1], 1);
        let line = |base: usize| (0..4).map(|k| wx[k] * self.samples[base + ix[k]]).sum::<f32>();
        let plane = |base: usize| (0..4).map(|k| wy[k] * line(base + iy[k] * nx)).sum::<f32>();
        if D == 3 {
            let (iz, wz) = self.spline_cell(at[2], 2);
            (0..4).map(|k| wz[k] * plane(iz[k] * nx * ny)).sum()
        } else {
            plane(0)
        }
    }

    /// Four neighbours (mirrored at the border) and their weights.
    #[inline(always)]
    fn spline_cell(&self, at: f32, axis: usize) -> ([usize; 4], [f32; 4]) {
        let n = self.size[axis];
        let (low, _, t) = self.cell(at, axis);
        let index = if low >= 1 && low + 2 < n {
            [low - 1, low, low + 1, low + 2]
        } else {
            [mirror(low as isize - 1, n), low, mirror(low as isize + 1, n), mirror(low as isize + 2, n)]
        };
        let (t2, t3, u) = (t * t, t * t * t, 1.0 - t);
        const SIXTH: f32 = 1.0 / 6.0;
        let weights = [
            SIXTH * u * u * u,
            SIXTH * (4.0 - 6.0 * t2 + 3.0 * t3),
            SIXTH * (1.0 + 3.0 * (t + t2 - t3)),
            SIXTH * t3,
        ];
        (index, weights)
    }
}

/// The index that stands at `at` when the samples are mirrored at both ends.
fn mirror(at: isize, n: usize) -> usize {
    let last = n as isize - 1;
    let at = if at < 0 { -at } else { at };
    (if at > last { 2 * last - at } else { at }).clamp(0, last) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::spline::spline_coefficients;
    use crate::kernels::warp::{VoxelAffine, warp};
    use crate::{Device, Shape};
    use veloxel_core::Dimension;

    fn run(interpolation: Interpolation, d: [f32; 3], moving: impl Fn([f32; 3]) -> f32) -> Vec<f32> {
        let shape = Shape { size: [12, 11, 10], dimension: Dimension::Three };
        let device = Device::cpu(2).unwrap();
        let samples = (0..shape.len())
            .map(|i| moving([(i % 12) as f32, (i / 12 % 11) as f32, (i / 132) as f32]))
            .collect();
        let displacement: Vec<_> = d.iter().map(|&v| device.upload(vec![v; shape.len()])).collect();
        let mut moving = device.upload(samples);
        if interpolation == Interpolation::CubicSpline {
            spline_coefficients(&device, shape, &mut moving).unwrap();
        }
        let args = Warp {
            shape,
            spacing_edges: [1.0, 2.0, 1.0],
            interpolation,
            moving_from_fixed: VoxelAffine::IDENTITY,
            moving: &moving,
            displacement: &displacement,
        };
        let mut out = device.zeros(shape.len()).unwrap();
        warp(&device, &args, &mut out).unwrap();
        device.download(out)
    }

    #[test]
    fn linear_and_spline_keep_ramps_and_mark_the_outside() {
        let ramp = |p: [f32; 3]| p[0] + 10.0 * p[1] + 100.0 * p[2];
        // The spline mirrors the ramp at the border; five voxels away 0.27⁵ of the kink (200 a voxel) is left.
        for (interpolation, tolerance) in [(Interpolation::Linear, 1e-3), (Interpolation::CubicSpline, 0.5)] {
            let out = run(interpolation, [0.25, 1.0, -0.5], ramp);
            let expected = ramp([5.25, 5.5, 4.5]);
            assert!(
                (out[5 + 12 * (5 + 11 * 5)] - expected).abs() < tolerance,
                "y moves half a voxel: an edge is half of it"
            );
            assert!(out[11].is_nan(), "x + 0.25 and z − 0.5 leave the grid");
        }
    }

    #[test]
    fn nearest_keeps_labels() {
        let out = run(Interpolation::Nearest, [0.4, 0.0, 0.0], |p| p[0]);
        assert_eq!(out[5], 5.0);
    }
}
