//! Processor text of [`super::confidence`](fn@super::confidence).

use super::Scales;
use veloxel_core::Shape;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn confidence(cpu: &Cpu, (shape, scales): (Shape, Scales), tensor: &[Buffer], out: &mut [f32]) {
    let (n, d) = (shape.len(), shape.components());
    let j: Vec<&[f32]> = tensor.iter().map(Buffer::host).collect();
    let tt = j[j.len() - 1];
    let shared = Shared::new(out);
    let a = scales.determinacy;
    let share = a / d as f32;
    let per_mismatch2 = 1.0 / (scales.mismatch * scales.mismatch);
    cpu.split(n, n, |range| {
        // SAFETY: ranges are disjoint.
        let out = unsafe { shared.get_mut(range.clone()) };
        for (out, i) in out.iter_mut().zip(range) {
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
