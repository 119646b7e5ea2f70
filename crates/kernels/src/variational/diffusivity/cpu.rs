//! Processor text of [`super::diffusivity`](fn@super::diffusivity).

use super::Diffusivity;
use crate::image::gradient::{Scheme, cpu::derivative_row};
use crate::shared::exponential::exponential;
use multiversion::multiversion;
use veloxel_gpu::rows::{Shared, with_scratch};
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn diffusivity(
    cpu: &Cpu,
    args: &Diffusivity<'_>,
    (base, increment): (&[Buffer], &[Buffer]),
    out: &mut [f32],
) {
    let shape = args.shape;
    let (n, d) = (shape.len(), shape.components());
    let [nx, ny, nz] = shape.size;
    let out = Shared::new(out);
    let share = args.epsilon.map(|epsilon| args.spacing_edges.map(|s| 0.5 / (s * epsilon).powi(2)));
    let per_edge = args.spacing_edges.map(|s| 1.0 / s);
    cpu.split(shape.rows(), n, |rows| {
        with_scratch((d + 3) * nx, |scratch| {
            let (own, scratch) = scratch.split_at_mut(d * nx);
            let (other, scratch) = scratch.split_at_mut(nx);
            let (squares, after) = scratch.split_at_mut(nx);
            for row in rows {
                // SAFETY: every row is written by one thread.
                let psi = unsafe { out.get_mut(row * nx..(row + 1) * nx) };
                psi.fill(1.0);
                // Squared differences by ½/(s ε)²; each belongs half to the voxel on either side. Sums are taken from left
                // to right, as in the other text, so that both find the same bits.
                if let Some(share) = share {
                    let total = |c: usize, row: usize, line: &mut [f32]| {
                        add(&base[c].host()[row * nx..][..nx], &increment[c].host()[row * nx..][..nx], line);
                    };
                    for (c, own) in own.chunks_exact_mut(nx).enumerate() {
                        total(c, row, own);
                    }
                    squares.fill(0.0);
                    for own in own.chunks_exact(nx) {
                        add_squares(&own[1..], &own[..nx - 1], &mut squares[1..]);
                    }
                    for own in own.chunks_exact(nx) {
                        add_squares(&own[1..], &own[..nx - 1], &mut squares[..nx - 1]);
                    }
                    add_scaled(squares, share[0], psi);
                    let mut beside = |to: Option<usize>, squares: &mut [f32]| {
                        for (c, own) in own.chunks_exact(nx).enumerate() {
                            if let Some(to) = to {
                                total(c, to, other);
                                add_squares(own, other, squares);
                            }
                        }
                    };
                    let (y, z) = (row % ny, row / ny);
                    squares.fill(0.0);
                    beside((y > 0).then(|| row - 1), squares);
                    beside((y + 1 < ny).then(|| row + 1), squares);
                    add_scaled(squares, share[1], psi);
                    if d == 3 {
                        squares.fill(0.0);
                        after.fill(0.0);
                        beside((z > 0).then(|| row - ny), squares);
                        beside((z + 1 < nz).then(|| row + ny), after);
                        squares.iter_mut().zip(after.iter()).for_each(|(s, &a)| *s += a);
                        add_scaled(squares, share[2], psi);
                    }
                    inverse_root(psi);
                }
                if let Some((kappa, image)) = args.image {
                    squares.fill(0.0);
                    for axis in 0..d {
                        derivative_row(image.host(), (shape, axis, Scheme::Central4), row, other);
                        let per_edge = per_edge[axis];
                        squares.iter_mut().zip(other.iter()).for_each(|(s, &e)| {
                            let slope = per_edge * e;
                            *s += slope * slope;
                        });
                    }
                    damp(kappa, squares, psi);
                }
            }
        });
    });
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
