//! Processor text of the kernels in [`super`].

use super::{Quantiles, Samples, rank};
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn quantiles(samples: Samples<'_>, shares: [u32; 2]) -> Option<Quantiles> {
    let (image, weight) = (samples.image.host(), samples.weight.map(Buffer::host));
    let counts = |i: &usize| weight.is_none_or(|w| w[*i] > 0.0);
    let mut values: Vec<f32> =
        (0..image.len()).step_by(samples.step).filter(counts).map(|i| image[i]).collect();
    let count = values.len();
    if count == 0 {
        return None;
    }
    let found = shares.map(|share| *values.select_nth_unstable_by(rank(share, count), f32::total_cmp).1);
    Some((count, found))
}

pub(super) fn first_unknown(cpu: &Cpu, samples: Samples<'_>) -> Option<usize> {
    let (image, weight) = (samples.image.host(), samples.weight.map(Buffer::host));
    let n = image.len();
    let least = std::sync::atomic::AtomicUsize::new(n);
    cpu.split(n.div_ceil(PIECE), n, |pieces| {
        for piece in pieces {
            let span = piece * PIECE..((piece + 1) * PIECE).min(n);
            let unknown = |i: &usize| !image[*i].is_finite() && weight.is_none_or(|w| w[*i] > 0.0);
            if image[span.clone()].iter().any(|v| !v.is_finite())
                && let Some(first) = span.into_iter().find(unknown)
            {
                least.fetch_min(first, std::sync::atomic::Ordering::Relaxed);
            }
        }
    });
    let least = least.into_inner();
    (least < n).then_some(least)
}

/// Samples looked at together.
const PIECE: usize = 4096;
