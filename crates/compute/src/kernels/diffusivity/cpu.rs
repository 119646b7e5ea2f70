//! Processor text of [`super::diffusivity`](fn@super::diffusivity).

use super::Diffusivity;
use crate::kernels::gradient::{Scheme, cpu::derivative_row};
use crate::rows::{Shared, with_scratch};
use crate::{Buffer, Cpu};
use multiversion::multiversion;

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
    cpu.split(shape.rows(), n, |rows| {
        with_scratch(3 * nx, |scratch| {
            let (own, scratch) = scratch.split_at_mut(nx);
            let (other, edges) = scratch.split_at_mut(nx);
            for row in rows {
                // SAFETY: every row is written by one thread.
                let psi = unsafe { out.get_mut(row * nx..(row + 1) * nx) };
                psi.fill(0.0);
                if let Some(epsilon) = args.epsilon {
                    for c in 0..d {
                        let total = |row: usize, line: &mut [f32]| {
                            add(
                                &base[c].host()[row * nx..][..nx],
                                &increment[c].host()[row * nx..][..nx],
                                line,
                            );
                        };
                        total(row, own);
                        // Squared differences by ½/(s ε)²; each belongs half to the voxel on either side.
                        let weight = |axis: usize| 0.5 / (args.spacing_edges[axis] * epsilon).powi(2);
                        add_squares(&own[1..], &own[..nx - 1], weight(0), &mut psi[1..]);
                        add_squares(&own[1..], &own[..nx - 1], weight(0), &mut psi[..nx - 1]);
                        for axis in 1..d {
                            let (at, count, stride) = [(row % ny, ny, 1), (row / ny, nz, ny)][axis - 1];
                            if at > 0 {
                                total(row - stride, other);
                                add_squares(own, other, weight(axis), psi);
                            }
                            if at + 1 < count {
                                total(row + stride, other);
                                add_squares(own, other, weight(axis), psi);
                            }
                        }
                    }
                }
                inverse_root(psi);
                if let Some((kappa, image)) = args.image {
                    own.fill(0.0);
                    for axis in 0..d {
                        derivative_row(image.host(), (shape, axis, Scheme::Central4), row, edges);
                        let factor = args.spacing_edges[axis].powi(-2);
                        own.iter_mut().zip(edges.iter()).for_each(|(o, &e)| *o += factor * e * e);
                    }
                    psi.iter_mut().zip(own.iter()).for_each(|(p, &g2)| *p *= (-kappa * g2.sqrt()).exp());
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
fn add_squares(a: &[f32], b: &[f32], weight: f32, out: &mut [f32]) {
    for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *o += weight * (a - b) * (a - b);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn inverse_root(out: &mut [f32]) {
    for o in out {
        *o = 1.0 / (1.0 + *o).sqrt();
    }
}
