//! Launches of `quantiles.wgsl`: a sample's place is found digit by digit, from counts of the samples that share the
//! digits before.

use super::{Samples, rank};
use crate::gpu::{Bind, Gpu, LINE, Launch, NAN, Text, Uniform};
use crate::{Buffer, ComputeError, Device};

static TEXT: Text = Text { name: "quantiles", parts: &[LINE, NAN, include_str!("quantiles.wgsl")] };

/// Values of a digit.
const BASE: usize = 256;
/// Workgroups: enough for every processor, few enough that their counts are soon added.
const MOST_GROUPS: usize = 256;

fn groups(count: usize) -> [u32; 3] {
    [count.div_ceil(256).clamp(1, MOST_GROUPS) as u32, 1, 1]
}

fn weighted(samples: Samples<'_>) -> [(&'static str, f64); 1] {
    [("WEIGHTED", f64::from(u8::from(samples.weight.is_some())))]
}

pub(super) fn quantiles(
    (device, gpu): (&Device, &dyn Gpu),
    samples: Samples<'_>,
    shares: [f64; 2],
) -> Result<Option<(usize, [f32; 2])>, ComputeError> {
    let mut keys = [0u32; 2];
    let mut ranks = None;
    for digit in (0..4).rev() {
        let counts: Buffer = device.zeros(2 * BASE)?;
        gpu.launch(&Launch {
            text: &TEXT,
            entry: "count_digits",
            constants: &weighted(samples),
            uniform: Uniform::new()
                .u(samples.count())
                .u(samples.step)
                .u(8 * digit)
                .u(keys[0] as usize)
                .u(keys[1] as usize),
            buffers: &[Bind::In(samples.image), Bind::optional(samples.weight), Bind::Out(&counts)],
            groups: groups(samples.count()),
        })?;
        let counts: Vec<usize> = device.download(counts)?.iter().map(|c| c.to_bits() as usize).collect();
        let (_, ranks) = ranks.get_or_insert_with(|| {
            let total: usize = counts[..BASE].iter().sum();
            (total, if total > 0 { shares.map(|share| rank(share, total)) } else { [0; 2] })
        });
        for ((key, rank), counts) in keys.iter_mut().zip(ranks).zip(counts.chunks_exact(BASE)) {
            let mut value = 0;
            while value + 1 < BASE && *rank >= counts[value] {
                *rank -= counts[value];
                value += 1;
            }
            *key |= (value as u32) << (8 * digit);
        }
    }
    let count = ranks.map_or(0, |(total, _)| total);
    Ok((count > 0).then(|| (count, keys.map(value_of))))
}

/// The sample of a key: keys are in the order of samples.
fn value_of(key: u32) -> f32 {
    f32::from_bits(if key & 0x8000_0000 != 0 { key & 0x7fff_ffff } else { !key })
}

pub(super) fn first_unknown(
    (device, gpu): (&Device, &dyn Gpu),
    samples: Samples<'_>,
) -> Result<Option<usize>, ComputeError> {
    let n = samples.image.len();
    let found = device.zeros(1)?;
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "first_unknown",
        constants: &weighted(samples),
        uniform: Uniform::new().u(n).u(1).u(0).u(0).u(0),
        buffers: &[Bind::In(samples.image), Bind::optional(samples.weight), Bind::Out(&found)],
        groups: [n.div_ceil(256).clamp(1, 2048) as u32, 1, 1],
    })?;
    // What is left after the first, so that 0 means none.
    let left = device.download(found)?.first().map_or(0, |v| v.to_bits() as usize);
    Ok((left > 0).then(|| n - left))
}
