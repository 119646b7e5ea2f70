//! Processor text of [`super::jacobi`](fn@super::jacobi).

use super::Operator;
use super::relax::{invert, tensor_row};
use super::residual::{ResidualRows, residual_scratch};
use super::uniform::{Uniform, entry, gather_and_invert, update};
use multiversion::multiversion;
use veloxel_gpu::rows::{Shared, with_scratch};
use veloxel_gpu::{Buffer, Cpu};

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
    let uniform = Uniform::of(operator);
    // SAFETY: every row is written by one thread.
    let out = |row: usize| std::array::from_fn(|c| unsafe { out[c].get_mut(row * nx..(row + 1) * nx) });
    cpu.split(operator.shape.rows(), operator.shape.len(), |range| match &uniform {
        Some(uniform) => with_scratch((1 + 2 * D + entries) * nx + 2 * D, |scratch| {
            let (along_x, scratch) = scratch.split_at_mut(nx);
            let (base, scratch) = scratch.split_at_mut(D * nx);
            let (inverse, padded) = scratch.split_at_mut(entries * nx);
            uniform.springs_along_x(along_x);
            let x: [Shared<'_>; D] = std::array::from_fn(|c| Shared::read_only(x[c].host()));
            for row in range {
                let rhs = std::array::from_fn(|c| &rhs[c].host()[row * nx..(row + 1) * nx]);
                // SAFETY: nobody writes `x`.
                let around = unsafe { uniform.around(operator, (&x, rhs), row) };
                around.pad(padded);
                gather_and_invert::<D>(&around, (along_x, nx), (base, inverse));
                let system = (&*inverse, &*base, uniform.spring_x());
                update::<D>(padded, system, [damping; 2], out(row));
            }
        }),
        None => with_scratch(residual_scratch(D, nx) + entries * nx, |scratch| {
            let (inverse, scratch) = scratch.split_at_mut(entries * nx);
            let rhs: Vec<Shared<'_>> = rhs.iter().map(|b| Shared::read_only(b.host())).collect();
            // SAFETY: nobody writes the right-hand side.
            let mut rows = unsafe { ResidualRows::<D>::new(operator, (x, &rhs), scratch) };
            for row in range {
                let span = row * nx..(row + 1) * nx;
                rows.sums(row);
                invert::<D>(tensor_row::<D>(operator, span.clone()), &rows.system, inverse);
                for (c, out) in out(row).into_iter().enumerate() {
                    let m: [&[f32]; D] = std::array::from_fn(|e| &inverse[entry::<D>(c, e) * nx..][..nx]);
                    step::<D>(&x[c].host()[span.clone()], (m, rows.out), damping, out);
                }
            }
        }),
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn step<const D: usize>(x: &[f32], (m, sums): ([&[f32]; D], &[f32]), damping: f32, out: &mut [f32]) {
    let n = out.len();
    let x = &x[..n];
    for i in 0..n {
        let mut change = m[0][i] * sums[i] - x[i];
        for e in 1..D {
            change += m[e][i] * sums[e * n + i];
        }
        out[i] = x[i] + damping * change;
    }
}
