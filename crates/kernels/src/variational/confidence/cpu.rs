//! CPU text of [`Confidence`].

use super::Confidence;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn confidence(cpu: &Cpu, args: Confidence<'_>) {
    let Confidence { shape, determinacy: a, mismatch, tensor, out } = args;
    let (n, d) = (shape.len(), shape.components());
    let j: Vec<&[f32]> = tensor.iter().map(Buffer::host).collect();
    let tt = j[j.len() - 1];
    let share = a / d as f32;
    let per_mismatch2 = 1.0 / (mismatch * mismatch);
    let nx = shape.size[0];
    cpu.split_rows([out.host_mut()], nx, n, |row, [out]| {
        for (out, i) in out.iter_mut().zip(row * nx..) {
            let trace = if d == 2 {
                let (p, q, r) = (j[0][i] + a, j[1][i], j[2][i] + a);
                (p + r) / (p * r - q * q)
            } else {
                let (p, q, r) = (j[0][i] + a, j[1][i], j[2][i]);
                let (s, t, u) = (j[3][i] + a, j[4][i], j[5][i] + a);
                let minors = s * u - t * t + p * u - r * r + p * s - q * q;
                minors / (p * (s * u - t * t) + q * (r * t - q * u) + r * (q * t - r * s))
            };
            let determinacy = (1.0 - share * trace).clamp(0.0, 1.0);
            *out = determinacy / (1.0 + tt[i] * per_mismatch2);
        }
    });
}
