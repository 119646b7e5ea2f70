//! Processor text of [`super::AbsoluteDifference`].

use super::AbsoluteDifference;
use crate::shared::lanes::LANES;
use multiversion::multiversion;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn absolute_difference(cpu: &Cpu, args: &AbsoluteDifference<'_>) -> [f64; 2] {
    let n = args.fixed.len();
    let (fixed, warped, weight) = (args.fixed.host(), args.warped.host(), args.weight.map(Buffer::host));
    cpu.sum(n, n, |range| {
        let images = [&fixed[range.clone()], &warped[range.clone()]];
        let Some(weight) = weight else { return total(images) };
        let (mut sum, mut count) = (0.0, 0.0);
        for (i, w) in weight[range].iter().enumerate() {
            let difference = images[1][i] - images[0][i];
            if !difference.is_nan() && *w > 0.0 {
                sum += f64::from(difference.abs());
                count += 1.0;
            }
        }
        [sum, count]
    })
}

/// Where all samples count.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn total([fixed, warped]: [&[f32]; 2]) -> [f64; 2] {
    let (mut sums, mut unknown) = ([0.0; LANES], [0u32; LANES]);
    let (packs, rest) = fixed.as_chunks::<LANES>();
    let (warped_packs, warped_rest) = warped.as_chunks::<LANES>();
    for (fixed, warped) in packs.iter().zip(warped_packs) {
        for k in 0..LANES {
            let difference = (warped[k] - fixed[k]).abs();
            sums[k] += f64::from(if difference.is_nan() { 0.0 } else { difference });
            unknown[k] += u32::from(difference.is_nan());
        }
    }
    for (k, (fixed, warped)) in rest.iter().zip(warped_rest).enumerate() {
        let difference = (warped - fixed).abs();
        sums[k] += f64::from(if difference.is_nan() { 0.0 } else { difference });
        unknown[k] += u32::from(difference.is_nan());
    }
    [sums.iter().sum(), fixed.len() as f64 - f64::from(unknown.iter().sum::<u32>())]
}
