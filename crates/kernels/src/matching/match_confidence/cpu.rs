//! Processor text of [`MatchError`] and [`MatchConfidence`].

use super::{LEAST_QUALITY, MatchConfidence, MatchError};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn match_error(cpu: &Cpu, args: MatchError<'_>) {
    let components = args.displacement.iter().zip(args.mean);
    let components: Vec<_> = components.map(|(d, mean)| (d.host(), mean.host())).collect();
    let (quality, distinctness) = (args.quality.host(), args.distinctness.map(Buffer::host));
    cpu.split_samples(args.out.host_mut(), 6, |range, out| {
        out.fill(0.0);
        for (d, mean) in &components {
            for ((out, d), mean) in out.iter_mut().zip(&d[range.clone()]).zip(&mean[range.clone()]) {
                *out += (d - mean) * (d - mean);
            }
        }
        for (i, out) in range.clone().zip(out.iter_mut()) {
            let share = distinctness.map_or(1.0, |distinctness| distinctness[i]);
            *out += args.per_mismatch * (1.0 - quality[i].max(0.0) * share);
        }
    });
}

pub(super) fn match_confidence(cpu: &Cpu, args: MatchConfidence<'_>) {
    let (quality, weight) = (args.quality.host(), args.weight.map(Buffer::host));
    let per_half2 = 1.0 / (args.half_edges * args.half_edges);
    let components: Vec<Shared<'_>> =
        args.displacement.iter_mut().map(|c| Shared::new(c.host_mut())).collect();
    cpu.split_samples(args.error_to_confidence.host_mut(), 4, |range, out| {
        for (i, out) in range.zip(out) {
            if weight.is_some_and(|weight| !has_weight(weight, args.shape, args.radius, i)) {
                *out = 0.0;
                for component in &components {
                    // SAFETY: every sample belongs to one range.
                    unsafe { component.get_mut(i..i + 1) }.fill(f32::NAN);
                }
                continue;
            }
            let confidence = 1.0 / (1.0 + out.max(0.0) * per_half2);
            *out = if quality[i] > LEAST_QUALITY { confidence } else { 0.0 };
        }
    });
}

/// Whether the window around a voxel holds any weight.
fn has_weight(weight: &[f32], shape: Shape, radius: Axes<usize>, i: usize) -> bool {
    let [nx, ny, nz] = shape.size;
    let at = [i % nx, i / nx % ny, i / (nx * ny)];
    let cut = |a: usize, count: usize| at[a].saturating_sub(radius[a])..(at[a] + radius[a] + 1).min(count);
    cut(2, nz).any(|z| cut(1, ny).any(|y| cut(0, nx).any(|x| weight[(z * ny + y) * nx + x] > 0.0)))
}
