//! CPU text of [`WeighByResidual`].

use super::WeighByResidual;
use crate::shared::group_sums::group_totals;
use multiversion::multiversion;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn weigh_by_residual(cpu: &Cpu, args: WeighByResidual<'_>) -> [f64; 2] {
    let WeighByResidual { residual, half_vox, confidence } = args;
    let n = confidence.len();
    let per_half2 = 1.0 / (half_vox * half_vox);
    let residual: Vec<&[f32]> = residual.iter().map(Buffer::host).collect();
    let out = Shared::new(confidence.host_mut());
    group_totals(cpu, n, 4, |items, sums| {
        // SAFETY: ranges are disjoint.
        let out = unsafe { out.get_mut(items.clone()) };
        let part = |c: usize| &residual[c][items.clone()];
        match residual.len() {
            2 => weigh([part(0), part(1)], per_half2, sums, out),
            _ => weigh([part(0), part(1), part(2)], per_half2, sums, out),
        }
    })
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn weigh<const D: usize>(
    residual: [&[f32]; D],
    per_half2: f32,
    [sums, counts]: [&mut [f32]; 2],
    out: &mut [f32],
) {
    let n = out.len();
    let (residual, sums, counts) = (residual.map(|r| &r[..n]), &mut sums[..n], &mut counts[..n]);
    for i in 0..n {
        let mut length2 = residual[0][i] * residual[0][i];
        for r in &residual[1..] {
            length2 += r[i] * r[i];
        }
        let known = !length2.is_nan();
        out[i] = if known { out[i] / (1.0 + length2 * per_half2) } else { 0.0 };
        sums[i] += if known { length2.sqrt() } else { 0.0 };
        counts[i] += if known { 1.0 } else { 0.0 };
    }
}
