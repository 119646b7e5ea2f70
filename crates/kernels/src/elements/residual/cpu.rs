//! Processor text of [`super::Residual`].

use super::{ElementImages, Residual, maps};
use crate::elements::projection::{Power, Problems, sums_along_x, values_of_row};
use crate::elements::row_tiles::RowTiles;
use crate::elements::state::States;
use crate::image::warp::VoxelAffine;
use crate::shared::rows::cell;
use crate::variational::total_displacement::Maps;
use std::array::from_fn;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

pub(super) fn residual<const D: usize>(cpu: &Cpu, args: Residual<'_>) {
    let Residual { elements, images, state, controls, residual, slopes, row_sums, energy } = args;
    let (n, problems, state) = (elements.shape.len(), elements.problems, States(state.host()));
    let ([nx, ..], rows, cx) = (elements.shape.size, elements.shape.rows(), elements.controls()[0]);
    let (unknowns, per_component) = (elements.unknowns(), elements.controls_of_problem());
    let takes = |problem: usize| state.is_active(problem);
    let map = Some(images.moving_from_fixed).filter(|map| *map != VoxelAffine::IDENTITY);
    let images = Images { map: map.as_ref().map(maps), images };
    {
        let (residual, slopes) = (Shared::new(residual.host_mut()), Shared::new(slopes.host_mut()));
        let (products, squares) = row_sums.host_mut().split_at_mut(elements.row_sums());
        let row_sums = [Shared::new(products), Shared::new(squares)];
        let (controls, axis) = (controls.host(), elements.axis(0));
        cpu.split(problems * rows, 40 * elements.pixels(), |jobs| {
            let (mut displacement, mut samples) = (vec![0.0; D * nx], vec![0.0; nx]);
            for (problem, row) in jobs.map(|job| (job / rows, job % rows)).filter(|(p, _)| takes(*p)) {
                let set = state.trial(problem);
                let own = controls[set * unknowns..(set + 1) * unknowns].chunks_exact(per_component);
                for (controls, component) in own.zip(displacement.chunks_exact_mut(nx)) {
                    values_of_row(elements, controls, row, component);
                }
                // SAFETY: every row is written by one thread.
                let (r, mut s) = unsafe {
                    let begin = set * n + row * nx;
                    let slopes: [&mut [f32]; D] = from_fn(|c| {
                        let begin = (set * D + c) * n + row * nx;
                        slopes.get_mut(begin..begin + nx)
                    });
                    (residual.get_mut(begin..begin + nx), slopes)
                };
                images.row(elements.shape, problem, row, &displacement, r, s.each_mut().map(|s| &mut **s));
                for (c, s) in s.into_iter().enumerate() {
                    let begin = ((problem * D + c) * rows + row) * cx;
                    // SAFETY: as above.
                    let sums = row_sums.each_ref().map(|sums| unsafe { sums.get_mut(begin..begin + cx) });
                    for (power, sums) in [Power::One, Power::Two].into_iter().zip(sums) {
                        let factor: &[f32] = if power == Power::One { r } else { s };
                        let products = factor.iter().zip(&*s).map(|(f, s)| f * s);
                        samples.iter_mut().zip(products).for_each(|(sample, product)| *sample = product);
                        sums_along_x(&axis, power, &samples, sums);
                    }
                }
            }
        });
    }
    let residual = residual.host();
    let square = |problem: usize, i: usize| {
        let r = residual[state.trial(problem) * n + i];
        r * r
    };
    RowTiles::of(elements).sums(Problems { cpu, elements, takes: &takes }, square, energy.host_mut());
}

/// The images, and the map between positions in them.
struct Images<'a> {
    images: ElementImages<'a>,
    /// The affine map; none for the identity.
    map: Option<Maps>,
}

impl Images<'_> {
    fn row<const D: usize>(
        &self,
        shape: Shape,
        problem: usize,
        row: usize,
        displacement: &[f32],
        residual: &mut [f32],
        mut slopes: [&mut [f32]; D],
    ) {
        let ElementImages { fixed, moving, weight, moving_shape, per_edge, gain, .. } = self.images;
        let ([nx, ny, _], size) = (shape.size, moving_shape.size);
        let begin = problem * shape.len() + row * nx;
        let start = [0.0, (row % ny) as f32, (row / ny) as f32];
        // Pictures that follow each other are compared picture by picture.
        let plane = if D == 2 { row / ny * size[0] * size[1] } else { 0 };
        let moving = &moving.host()[problem * moving_shape.len() + plane..(problem + 1) * moving_shape.len()];
        let (fixed, weight) = (&fixed.host()[begin..][..nx], weight.map(|w| &w.host()[begin..][..nx]));
        for x in 0..nx {
            let at = from_fn(|a| if a == 0 { x as f32 } else { start[a] });
            let d = from_fn(|c| per_edge[c] * displacement[c * nx + x]);
            let at: [f32; D] = self.moved(at, d);
            let (mut r, mut slope) = (0.0, [0.0; D]);
            if (0..D).all(|a| at[a] >= -0.001 && at[a] <= (size[a] - 1) as f32 + 0.001) {
                let w = weight.map_or(gain, |weight| gain * weight[x]);
                let (value, gradient) = sampled(size, moving, at);
                r = w * (value - fixed[x]);
                let gradient = self.pulled_back(gradient);
                slope = from_fn(|c| w * (per_edge[c] * gradient[c]));
            }
            residual[x] = r;
            (0..D).for_each(|c| slopes[c][x] = slope[c]);
        }
    }

    fn moved<const D: usize>(&self, x: [f32; D], d: [f32; D]) -> [f32; D] {
        let Some(map) = &self.map else { return from_fn(|a| x[a] + d[a]) };
        let added =
            |start: f32, row: Axes<f32>, v: [f32; D]| (0..D).fold(start, |sum, c| sum + row[c] * v[c]);
        from_fn(|a| x[a] + added(added(map.offset[a], map.base[a], x), map.linear[a], d))
    }

    fn pulled_back<const D: usize>(&self, g: [f32; D]) -> [f32; D] {
        let Some(map) = &self.map else { return g };
        from_fn(|c| (1..D).fold(g[0] * map.linear[0][c], |sum, a| sum + g[a] * map.linear[a][c]))
    }
}

fn spline_weights(t: f32) -> [f32; 4] {
    let s = 1.0 - t;
    let sixth = 1.0 / 6.0;
    let two_thirds = 4.0 * sixth;
    let squares = [s * s, t * t];
    [
        sixth * squares[0] * s,
        two_thirds - squares[1] * (1.0 - 0.5 * t),
        two_thirds - squares[0] * (1.0 - 0.5 * s),
        sixth * squares[1] * t,
    ]
}

fn spline_slopes(t: f32) -> [f32; 4] {
    let s = 1.0 - t;
    [-0.5 * s * s, t * (1.5 * t - 2.0), s * (2.0 - 1.5 * s), 0.5 * t * t]
}

/// The index `low + k − 1`, mirrored at the borders.
fn mirrored(low: usize, k: usize, count: usize) -> usize {
    let (last, at) = (count as isize - 1, (low as isize + k as isize - 1).abs());
    (if at > last { 2 * last - at } else { at }).clamp(0, last) as usize
}

/// The moving image and its derivatives per voxel, at a position inside of it.
fn sampled<const D: usize>(size: Axes<usize>, moving: &[f32], at: [f32; D]) -> (f32, [f32; D]) {
    let cells: [(usize, f32); D] = from_fn(|a| cell(at[a], size[a]));
    let weights = cells.map(|(_, t)| spline_weights(t));
    let slopes = cells.map(|(_, t)| spline_slopes(t));
    let ([wx, wy], [dx, dy]) = ([weights[0], weights[1]], [slopes[0], slopes[1]]);
    let (low_x, low_y) = (cells[0].0, cells[1].0);
    let is_inner = low_x >= 1 && low_x + 2 < size[0];
    let plane = |z: usize| {
        let mut sums = [0.0f32; 3];
        for l in 0..4 {
            let row = (z * size[1] + mirrored(low_y, l, size[1])) * size[0];
            let m: [f32; 4] = match moving.get((row + low_x).wrapping_sub(1)..).and_then(|m| m.first_chunk())
            {
                Some(m) if is_inner => *m,
                _ => from_fn(|k| moving[row + mirrored(low_x, k, size[0])]),
            };
            let value = wx[0] * m[0] + wx[1] * m[1] + wx[2] * m[2] + wx[3] * m[3];
            let slope = dx[0] * m[0] + dx[1] * m[1] + dx[2] * m[2] + dx[3] * m[3];
            sums[0] += wy[l] * slope;
            sums[1] += dy[l] * value;
            sums[2] += wy[l] * value;
        }
        sums
    };
    let mut gradient = [0.0; D];
    if D == 2 {
        let [x, y, value] = plane(0);
        (gradient[0], gradient[1]) = (x, y);
        return (value, gradient);
    }
    let ((low_z, _), wz, dz) = (cells[D - 1], weights[D - 1], slopes[D - 1]);
    let mut value = 0.0;
    for k in 0..4 {
        let [x, y, v] = plane(mirrored(low_z, k, size[2]));
        gradient[0] += wz[k] * x;
        gradient[1] += wz[k] * y;
        gradient[D - 1] += dz[k] * v;
        value += wz[k] * v;
    }
    (value, gradient)
}
