//! CPU text of [`RobustTensor`].

use super::RobustTensor;
use multiversion::multiversion;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, with_scratch};

pub(super) fn robust_tensor(cpu: &Cpu, args: RobustTensor<'_>) {
    let RobustTensor { shape, epsilon, groups, increment, out } = args;
    let (n, entries) = (shape.len(), out.len());
    let nx = shape.size[0];
    let out: Vec<Shared<'_>> = out.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    cpu.split(shape.rows(), n, |rows| {
        with_scratch(nx, |psi| {
            for row in rows {
                let span = row * nx..(row + 1) * nx;
                let delta: Vec<&[f32]> = increment.iter().map(|b| &b.host()[span.clone()]).collect();
                for (nth, group) in groups.iter().enumerate() {
                    let tensor: Vec<&[f32]> = group.tensor.iter().map(|b| &b.host()[span.clone()]).collect();
                    residual_weight(&tensor, &delta, epsilon * epsilon, group.gain, psi);
                    for (entry, tensor) in tensor[..entries].iter().enumerate() {
                        // SAFETY: every row is written by one thread.
                        let out = unsafe { out[entry].get_mut(span.clone()) };
                        if nth == 0 {
                            out.fill(0.0);
                        }
                        accumulate(tensor, psi, out);
                    }
                }
            }
        });
    });
}

/// `gain · ψ'((δ, 1)ᵀ J (δ, 1))` of a row.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn residual_weight(tensor: &[&[f32]], delta: &[&[f32]], epsilon2: f32, gain: f32, out: &mut [f32]) {
    let n = out.len();
    let d = delta.len();
    out.copy_from_slice(&tensor[tensor.len() - 1][..n]);
    let mut entry = 0;
    for r in 0..d {
        for c in r..d {
            let factor = if r == c { 1.0 } else { 2.0 };
            let (j, a, b) = (&tensor[entry][..n], &delta[r][..n], &delta[c][..n]);
            for i in 0..n {
                out[i] += factor * j[i] * a[i] * b[i];
            }
            entry += 1;
        }
    }
    for (r, a) in delta.iter().enumerate() {
        let (j, a) = (&tensor[entry + r][..n], &a[..n]);
        for i in 0..n {
            out[i] -= 2.0 * j[i] * a[i];
        }
    }
    let per_epsilon2 = 1.0 / epsilon2;
    for o in out.iter_mut() {
        *o = gain / (1.0 + o.max(0.0) * per_epsilon2).sqrt();
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn accumulate(tensor: &[f32], psi: &[f32], out: &mut [f32]) {
    for ((o, &t), &p) in out.iter_mut().zip(tensor).zip(psi) {
        *o += t * p;
    }
}
