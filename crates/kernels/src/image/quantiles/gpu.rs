//! Launches of `quantiles.wgsl`: a sample's place is found digit by digit, from counts of the samples that share the
//! digits before. Nothing waits for the host.

use super::{Quantiles, Samples};
use crate::shared::{LINE, NAN};
use veloxel_gpu::{Bind, ComputeError, Device, Gpu, Later, Launch, ShaderSource, Uniform};

static TEXT: ShaderSource = ShaderSource::wgsl("quantiles", &[LINE, NAN, include_str!("quantiles.wgsl")]);

/// Values of a digit, and digits of a key.
const BASE: usize = 256;
const DIGITS: usize = 4;
/// Numbers that pass from launch to launch.
const FOUND: usize = 5;
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
    shares: [u32; 2],
) -> Result<Later<Option<Quantiles>>, ComputeError> {
    let counts = device.zeros::<u32>(DIGITS * 2 * BASE)?;
    let found = device.zeros::<u32>(FOUND)?;
    for digit in 0..DIGITS {
        let launch = |entry: &'static str, groups: [u32; 3]| {
            gpu.launch(&Launch {
                source: &TEXT,
                entry,
                constants: &weighted(samples),
                uniform: Uniform::new()
                    .u(samples.count())
                    .u(samples.step)
                    .u(8 * (DIGITS - 1 - digit))
                    .u(digit * 2 * BASE)
                    .u(shares[0] as usize)
                    .u(shares[1] as usize),
                buffers: &[
                    Bind::In(samples.image),
                    Bind::optional(samples.weight),
                    Bind::Out(&counts),
                    Bind::Out(&found),
                ],
                groups,
            })
        };
        launch("count_digits", groups(samples.count()))?;
        launch("choose_digits", [1, 1, 1])?;
    }
    Ok(Later::on_device(found, |found| {
        let count = found[4] as usize;
        (count > 0).then(|| (count, [found[0], found[1]].map(value_of)))
    }))
}

/// The sample of a key: keys are in the order of samples.
fn value_of(key: u32) -> f32 {
    f32::from_bits(if key & 0x8000_0000 != 0 { key & 0x7fff_ffff } else { !key })
}

pub(super) fn first_unknown(
    (device, gpu): (&Device, &dyn Gpu),
    samples: Samples<'_>,
) -> Result<Later<Option<usize>>, ComputeError> {
    let n = samples.image.len();
    let found = device.zeros::<u32>(1)?;
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "first_unknown",
        constants: &weighted(samples),
        uniform: Uniform::new().u(n).u(1).u(0).u(0).u(0).u(0),
        buffers: &[Bind::In(samples.image), Bind::optional(samples.weight), Bind::Out(&found), Bind::Spare],
        groups: [n.div_ceil(256).clamp(1, 2048) as u32, 1, 1],
    })?;
    // What is left after the first, so that 0 means none.
    Ok(Later::on_device(found, move |left| {
        let left = left[0] as usize;
        (left > 0).then(|| n - left)
    }))
}
