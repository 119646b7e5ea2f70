//! Processor text of the kernels in [`super`].

use super::{FirstUnknown, OrderStatistics, Quantiles, rank};
use std::sync::{Mutex, PoisonError};
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn quantiles(cpu: &Cpu, args: Quantiles<'_>) -> Option<OrderStatistics> {
    let (image, step) = (args.image.host(), args.step);
    let span = |piece: usize| piece * PIECE * step..((piece + 1) * PIECE * step).min(image.len());
    if image.len().div_ceil(step) <= FEW && args.weight.is_none() {
        return of_few(image.iter().step_by(step).copied().collect(), args.shares);
    }
    match args.weight.map(Buffer::host) {
        // Counting along neighbours is half as fast through an iterator that takes steps.
        None if step == 1 => of_pieces(cpu, args, |piece| image[span(piece)].iter().copied()),
        None => of_pieces(cpu, args, |piece| image[span(piece)].iter().step_by(step).copied()),
        Some(weight) => of_pieces(cpu, args, |piece| {
            let pairs = image[span(piece)].iter().zip(&weight[span(piece)]).step_by(step);
            pairs.filter(|(_, weight)| **weight > 0.0).map(|(value, _)| *value)
        }),
    }
}

/// Number of samples that are sorted sooner than the buckets are cleared.
const FEW: usize = 8192;

fn of_few(mut samples: Vec<f32>, shares: [u32; 2]) -> Option<OrderStatistics> {
    let count = samples.len();
    if count == 0 {
        return None;
    }
    let samples = shares.map(|share| *samples.select_nth_unstable_by(rank(share, count), f32::total_cmp).1);
    Some(OrderStatistics { count, samples })
}

/// Bits of a key that choose its bucket: the sign, the exponent, and five of the fraction.
const BUCKET_BITS: u32 = 14;

/// The bucket of a value; buckets are in the order of `f32::total_cmp`.
fn bucket(value: f32) -> usize {
    let bits = value.to_bits();
    let key = bits ^ (((bits as i32 >> 31) as u32) | (1 << 31));
    (key >> (u32::BITS - BUCKET_BITS)) as usize
}

/// Counts the samples of every bucket, then selects among the samples of the buckets that hold the requested places; pieces of
/// the image are read in parallel.
fn of_pieces<I: Iterator<Item = f32>>(
    cpu: &Cpu,
    args: Quantiles<'_>,
    piece: impl Fn(usize) -> I + Sync,
) -> Option<OrderStatistics> {
    let len = args.image.len();
    let pieces = len.div_ceil(args.step).div_ceil(PIECE);
    let counts = Mutex::new(vec![0usize; 1 << BUCKET_BITS]);
    cpu.split(pieces, len, |pieces| {
        let mut own = vec![0u32; 1 << BUCKET_BITS];
        pieces.flat_map(&piece).for_each(|value| own[bucket(value)] += 1);
        let mut all = counts.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter_mut().zip(own).for_each(|(all, own)| *all += own as usize);
    });
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let count = counts.iter().sum();
    if count == 0 {
        return None;
    }
    let places = args.shares.map(|share| Place::of(rank(share, count), &counts));
    let members = Mutex::new([Vec::new(), Vec::new()]);
    cpu.split(pieces, len, |pieces| {
        let mut own = [Vec::new(), Vec::new()];
        for value in pieces.flat_map(&piece) {
            let nth = bucket(value);
            for (own, place) in own.iter_mut().zip(places) {
                if nth == place.bucket {
                    own.push(value);
                }
            }
        }
        let mut all = members.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter_mut().zip(own).for_each(|(all, own)| all.extend(own));
    });
    // A stop leaves pieces out: what was counted need not have been gathered.
    cpu.check().ok()?;
    let mut members = members.into_inner().unwrap_or_else(PoisonError::into_inner);
    let samples =
        [0, 1].map(|nth| *members[nth].select_nth_unstable_by(places[nth].within, f32::total_cmp).1);
    Some(OrderStatistics { count, samples })
}

/// The place of a sample in the order of all.
#[derive(Clone, Copy)]
struct Place {
    bucket: usize,
    /// The place among the samples of its bucket.
    within: usize,
}

impl Place {
    fn of(rank: usize, counts: &[usize]) -> Self {
        let (mut bucket, mut within) = (0, rank);
        while within >= counts[bucket] {
            within -= counts[bucket];
            bucket += 1;
        }
        Self { bucket, within }
    }
}

pub(super) fn first_unknown(cpu: &Cpu, args: &FirstUnknown<'_>) -> Option<usize> {
    let (image, weight) = (args.image.host(), args.weight.map(Buffer::host));
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

/// Number of samples looked at together.
const PIECE: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use veloxel_core::Control;
    use veloxel_gpu::Device;

    #[test]
    fn a_stop_between_counting_and_gathering_selects_nothing() {
        let control = Control::default();
        let device = Device::cpu(2).unwrap().controlled_by(control.clone());
        let veloxel_gpu::DeviceKind::Cpu(cpu) = device.kind() else { panic!("a processor") };
        let image = device.zeros(64 * PIECE).unwrap();
        let args = Quantiles { image: &image, weight: None, step: 1, shares: [900, 1000] };
        let asked = AtomicUsize::new(0);
        let found = of_pieces(cpu, args, |_| {
            // All pieces were counted: the first one that is gathered is the last.
            if asked.fetch_add(1, Ordering::Relaxed) == 64 {
                control.stop();
            }
            std::iter::repeat_n(1.0, PIECE)
        });
        assert_eq!(found, None);
    }
}
