//! Processor text of [`LocalSolve`].

use super::LocalSolve;
use multiversion::multiversion;
use veloxel_gpu::rows::{Shared, ranges_mut};
use veloxel_gpu::{Buffer, Cpu};

/// Samples that are solved together.
const CHUNK: usize = 1024;

pub(super) fn local_solve<const D: usize>(cpu: &Cpu, args: LocalSolve<'_>) {
    let n = args.shape.len();
    let tensor: Vec<&[f32]> = args.tensor.iter().map(Buffer::host).collect();
    let mut out = args.increment.iter_mut().map(|b| Shared::new(b.host_mut()));
    let out: [Shared<'_>; D] =
        std::array::from_fn(|_| out.next().expect("an increment should have a component for each axis"));
    cpu.split(n.div_ceil(CHUNK), 4 * n, |chunks| {
        for chunk in chunks {
            let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
            // SAFETY: chunks are disjoint.
            let mut out = unsafe { ranges_mut(&out, range.clone()) };
            if D == 2 {
                let entries: [&[f32]; 5] = std::array::from_fn(|e| &tensor[e][range.clone()]);
                let (x, y) = out.split_at_mut(1);
                solve_plane(entries, args.ridge, [&mut *x[0], &mut *y[0]]);
            } else {
                let entries: [&[f32]; 9] = std::array::from_fn(|e| &tensor[e][range.clone()]);
                solve_space(entries, args.ridge, &mut out);
            }
        }
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn solve_plane(entries: [&[f32]; 5], ridge: f32, [x, y]: [&mut [f32]; 2]) {
    let n = x.len();
    let [j11, j12, j22, b1, b2] = entries.map(|e| &e[..n]);
    let y = &mut y[..n];
    for i in 0..n {
        let (p, q, r) = (j11[i] + ridge, j12[i], j22[i] + ridge);
        let determinant = p * r - q * q;
        let is_sound = determinant > 0.0;
        let divisor = if is_sound { determinant } else { 1.0 };
        let (dx, dy) = ((r * b1[i] - q * b2[i]) / divisor, (p * b2[i] - q * b1[i]) / divisor);
        x[i] = if is_sound { dx } else { 0.0 };
        y[i] = if is_sound { dy } else { 0.0 };
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn solve_space(entries: [&[f32]; 9], ridge: f32, out: &mut [&mut [f32]]) {
    let n = out[0].len();
    let [j11, j12, j13, j22, j23, j33, b1, b2, b3] = entries.map(|e| &e[..n]);
    for i in 0..n {
        let (p, q, r) = (j11[i] + ridge, j12[i], j13[i]);
        let (s, t, u) = (j22[i] + ridge, j23[i], j33[i] + ridge);
        // Minors.
        let (a, b, c) = (s * u - t * t, r * t - q * u, q * t - r * s);
        let (d, e, f) = (p * u - r * r, q * r - p * t, p * s - q * q);
        let determinant = p * a + q * b + r * c;
        let is_sound = determinant > 0.0;
        let divisor = if is_sound { determinant } else { 1.0 };
        let found = [
            (a * b1[i] + b * b2[i] + c * b3[i]) / divisor,
            (b * b1[i] + d * b2[i] + e * b3[i]) / divisor,
            (c * b1[i] + e * b2[i] + f * b3[i]) / divisor,
        ];
        for (out, found) in out.iter_mut().zip(found) {
            out[i] = if is_sound { found } else { 0.0 };
        }
    }
}
