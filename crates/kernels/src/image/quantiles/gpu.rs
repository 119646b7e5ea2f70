//! Launches of `quantiles.wgsl`: a sample's place is found digit by digit, from counts of the samples that share the
//! digits before. Nothing waits for the host.

use super::{FirstUnknown, OrderStatistics, Quantiles};
use crate::kernel::Launcher;
use crate::shared::{LINE, NAN};
use veloxel_gpu::{ComputeError, Later, ShaderSource, Uniform};

static SOURCE: ShaderSource = ShaderSource::wgsl("quantiles", &[LINE, NAN, include_str!("quantiles.wgsl")]);

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

pub(super) fn quantiles(
    gpu: &Launcher<'_>,
    args: Quantiles<'_>,
) -> Result<Later<Option<OrderStatistics>>, ComputeError> {
    let counts = gpu.device().zeros::<u32>(DIGITS * 2 * BASE)?;
    let found = gpu.device().zeros::<u32>(FOUND)?;
    let count = args.image.len().div_ceil(args.step);
    for digit in 0..DIGITS {
        let launch = |entry, groups| {
            let (shift, first) = (8 * (DIGITS - 1 - digit), digit * 2 * BASE);
            let uniform = Uniform::new().u(count).u(args.step).u(shift).u(first);
            gpu.launch(&SOURCE, entry)
                .constant("WEIGHTED", args.weight.is_some())
                .uniform(args.shares.iter().fold(uniform, |uniform, &share| uniform.u(share as usize)))
                .input(args.image)
                .optional(args.weight)
                .output(&counts)
                .output(&found)
                .run(groups)
        };
        launch("count_digits", groups(count))?;
        launch("choose_digits", [1, 1, 1])?;
    }
    Ok(Later::on_device(found, |found: &[u32]| {
        let count = found[4] as usize;
        let samples = [found[0], found[1]].map(value_of);
        (count > 0).then_some(OrderStatistics { count, samples })
    }))
}

/// The sample of a key: keys are in the order of samples.
fn value_of(key: u32) -> f32 {
    f32::from_bits(if key & 0x8000_0000 != 0 { key & 0x7fff_ffff } else { !key })
}

pub(super) fn first_unknown(
    gpu: &Launcher<'_>,
    args: FirstUnknown<'_>,
) -> Result<Later<Option<usize>>, ComputeError> {
    let n = args.image.len();
    let found = gpu.device().zeros::<u32>(1)?;
    gpu.launch(&SOURCE, "first_unknown")
        .constant("WEIGHTED", args.weight.is_some())
        .uniform(Uniform::new().u(n).u(1).u(0).u(0).u(0).u(0))
        .input(args.image)
        .optional(args.weight)
        .output(&found)
        .spare(1)
        .run([n.div_ceil(256).clamp(1, 2048) as u32, 1, 1])?;
    // What is left after the first, so that 0 means none.
    Ok(Later::on_device(found, move |left| {
        let left = left[0] as usize;
        (left > 0).then(|| n - left)
    }))
}
