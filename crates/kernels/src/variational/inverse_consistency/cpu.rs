//! Processor text of [`super::weigh_by_residual`].

use crate::shared::group_sums::group_sums;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn weigh_by_residual(
    cpu: &Cpu,
    residual: &[Buffer],
    half_vox: f32,
    confidence: &mut Buffer,
) -> (f64, f64) {
    let n = confidence.len();
    let per_half2 = 1.0 / (half_vox * half_vox);
    let residual: Vec<&[f32]> = residual.iter().map(Buffer::host).collect();
    let out = Shared::new(confidence.host_mut());
    let [sums, counts] = group_sums(cpu, (n, 4), |items, [sums, counts]| {
        // SAFETY: ranges are disjoint.
        let part = unsafe { out.get_mut(items.clone()) };
        for (k, i) in items.enumerate() {
            let mut length2 = residual[0][i] * residual[0][i] + residual[1][i] * residual[1][i];
            if let Some(z) = residual.get(2) {
                length2 += z[i] * z[i];
            }
            if length2.is_nan() {
                part[k] = 0.0;
                continue;
            }
            part[k] /= 1.0 + length2 * per_half2;
            sums[k] += length2.sqrt();
            counts[k] += 1.0;
        }
    });
    let total = |sums: Vec<f32>| sums.into_iter().map(f64::from).sum();
    (total(sums), total(counts))
}
