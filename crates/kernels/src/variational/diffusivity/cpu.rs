//! CPU text of [`Diffusivity`].

use super::{Diffusivity, ImageEdges};
use crate::image::gradient::Scheme;
use crate::image::gradient::cpu::{Difference, derivative_row};
use crate::shared::exponential::exponential;
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::with_scratch;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn diffusivity(cpu: &Cpu, args: Diffusivity<'_>) {
    let Diffusivity { shape, spacing_edges, epsilon, edges, base, increment, out } = args;
    let (n, d) = (shape.len(), shape.components());
    let nx = shape.size[0];
    let total = Total { base, increment, shape };
    let share = epsilon.map(|epsilon| spacing_edges.map(|s| 0.5 / (s * epsilon).powi(2)));
    let per_edge = spacing_edges.map(|s| 1.0 / s);
    cpu.split_rows([out.host_mut()], nx, n, |row, [psi]| {
        with_scratch((d + 3) * nx, |scratch| {
            psi.fill(1.0);
            if let Some(share) = share {
                total.add_differences(row, share, scratch, psi);
                inverse_root(psi);
            }
            if let Some(ImageEdges { kappa, image }) = edges {
                let (slopes, squares) = scratch[..2 * nx].split_at_mut(nx);
                squares.fill(0.0);
                for axis in 0..d {
                    derivative_row(
                        image.host(),
                        Difference { shape, axis, scheme: Scheme::Central4 },
                        row,
                        slopes,
                    );
                    let per_edge = per_edge[axis];
                    squares.iter_mut().zip(slopes.iter()).for_each(|(s, &e)| {
                        let slope = per_edge * e;
                        *s += slope * slope;
                    });
                }
                damp(kappa, squares, psi);
            }
        });
    });
}

/// The displacement so far and the increment.
struct Total<'a> {
    base: &'a [Buffer],
    increment: &'a [Buffer],
    shape: Shape,
}

impl Total<'_> {
    /// A row of the sum of both.
    fn row(&self, component: usize, row: usize, out: &mut [f32]) {
        let nx = self.shape.size[0];
        let [base, increment] =
            [self.base, self.increment].map(|field| &field[component].host()[row * nx..][..nx]);
        add(base, increment, out);
    }

    /// Adds the squared differences of a row to its neighbours, times `share`, ½/(s ε)², per axis: each belongs half to the
    /// voxel on either side. Sums are taken from left to right, as in the shader, so that both find the same bits.
    fn add_differences(&self, row: usize, share: Axes<f32>, scratch: &mut [f32], psi: &mut [f32]) {
        let ([nx, ny, nz], d) = (self.shape.size, self.shape.components());
        let (own, scratch) = scratch.split_at_mut(d * nx);
        let (other, scratch) = scratch.split_at_mut(nx);
        let (squares, after) = scratch.split_at_mut(nx);
        for (c, own) in own.chunks_exact_mut(nx).enumerate() {
            self.row(c, row, own);
        }
        squares.fill(0.0);
        for own in own.chunks_exact(nx) {
            add_squares(&own[1..], &own[..nx - 1], &mut squares[1..]);
        }
        for own in own.chunks_exact(nx) {
            add_squares(&own[1..], &own[..nx - 1], &mut squares[..nx - 1]);
        }
        add_scaled(squares, share[0], psi);
        let mut beside = |is_inside: bool, to: usize, squares: &mut [f32]| {
            for (c, own) in own.chunks_exact(nx).enumerate().filter(|_| is_inside) {
                self.row(c, to, other);
                add_squares(own, other, squares);
            }
        };
        let (y, z) = (row % ny, row / ny);
        squares.fill(0.0);
        beside(y > 0, row.wrapping_sub(1), squares);
        beside(y + 1 < ny, row + 1, squares);
        add_scaled(squares, share[1], psi);
        if d == 3 {
            squares.fill(0.0);
            after.fill(0.0);
            beside(z > 0, row.wrapping_sub(ny), squares);
            beside(z + 1 < nz, row + ny, after);
            add_scaled(after, 1.0, squares);
            add_scaled(squares, share[2], psi);
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *o = a + b;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_squares(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *o += (a - b) * (a - b);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_scaled(a: &[f32], weight: f32, out: &mut [f32]) {
    for (o, &a) in out.iter_mut().zip(a) {
        *o += weight * a;
    }
}

/// `psi ← psi · exp(−κ √squares)`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn damp(kappa: f32, squares: &[f32], psi: &mut [f32]) {
    for (p, &s) in psi.iter_mut().zip(squares) {
        *p *= exponential(-kappa * s.sqrt());
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn inverse_root(out: &mut [f32]) {
    for o in out {
        *o = 1.0 / o.sqrt();
    }
}
