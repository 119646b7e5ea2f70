//! Processor text of [`super::jacobi`](fn@super::jacobi).

use super::Operator;
use super::relax::{invert, tensor_row};
use super::residual::{ResidualRows, residual_scratch};
use crate::Buffer;
use crate::device::Cpu;
use crate::rows::{Shared, with_scratch};
use multiversion::multiversion;

pub(super) fn jacobi(
    cpu: &Cpu,
    operator: &Operator<'_>,
    (x, rhs, out): (&[Buffer], &[Buffer], &mut [Buffer]),
    damping: f32,
) {
    match operator.shape.components() {
        2 => jacobi_in::<2>(cpu, operator, (x, rhs, out), damping),
        _ => jacobi_in::<3>(cpu, operator, (x, rhs, out), damping),
    }
}

fn jacobi_in<const D: usize>(
    cpu: &Cpu,
    operator: &Operator<'_>,
    (x, rhs, out): (&[Buffer], &[Buffer], &mut [Buffer]),
    damping: f32,
) {
    let nx = operator.shape.size[0];
    let out: Vec<Shared<'_>> = out.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let entries = D * (D + 1) / 2;
    cpu.split(operator.shape.rows(), operator.shape.len(), |range| {
        with_scratch(residual_scratch(D, nx) + entries * nx, |scratch| {
            let (inverse, scratch) = scratch.split_at_mut(entries * nx);
            let mut rows = ResidualRows::<D>::new(operator, (x, Some(rhs)), scratch);
            for row in range {
                let span = row * nx..(row + 1) * nx;
                rows.row(row);
                invert::<D>(tensor_row::<D>(operator, span.clone()), &rows.system, inverse);
                for c in 0..D {
                    // SAFETY: every row is written by one thread.
                    let out = unsafe { out[c].get_mut(span.clone()) };
                    let m: [&[f32]; D] = std::array::from_fn(|e| &inverse[entry::<D>(c, e) * nx..][..nx]);
                    step::<D>(&x[c].host()[span.clone()], (m, rows.out), damping, out);
                }
            }
        });
    });
}

/// Where entry `(r, c)` of a symmetric block stands.
const fn entry<const D: usize>(r: usize, c: usize) -> usize {
    let (low, high) = if r < c { (r, c) } else { (c, r) };
    low * (2 * D + 1 - low) / 2 + high - low
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn step<const D: usize>(x: &[f32], (m, residual): ([&[f32]; D], &[f32]), damping: f32, out: &mut [f32]) {
    let n = out.len();
    let x = &x[..n];
    for i in 0..n {
        let mut change = 0.0;
        for e in 0..D {
            change += m[e][i] * residual[e * n + i];
        }
        out[i] = x[i] + damping * change;
    }
}
