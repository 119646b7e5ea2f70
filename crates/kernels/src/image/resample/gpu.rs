//! Launches of `resample.wgsl`.

use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, inputs, outputs};

static TEXT: ShaderSource = ShaderSource::wgsl("resample", &[include_str!("resample.wgsl")]);

/// Components of one launch.
const MOST: usize = 3;

pub(super) fn resample_field(
    gpu: &dyn Gpu,
    (input, from): (&[Buffer], Shape),
    (output, to): (&mut [Buffer], Shape),
    factor: f32,
) -> Result<(), ComputeError> {
    input
        .chunks(MOST)
        .zip(output.chunks(MOST))
        .try_for_each(|(input, output)| resample(gpu, (input, from), (output, to), factor))
}

fn resample(
    gpu: &dyn Gpu,
    (input, from): (&[Buffer], Shape),
    (output, to): (&[Buffer], Shape),
    factor: f32,
) -> Result<(), ComputeError> {
    let steps: Axes<[usize; 2]> = [0, 1, 2].map(|a| {
        let (dividend, divisor) = (256 * from.size[a], 2 * to.size[a]);
        [dividend / divisor, dividend % divisor]
    });
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "resample",
        constants: &[("COMPONENTS", input.len() as f64)],
        uniform: Uniform::new()
            .u4(from.size)
            .u4(to.size)
            .u4(steps.map(|s| s[0]))
            .u4(steps.map(|s| s[1]))
            .f(factor),
        buffers: &inputs(input, MOST).chain(outputs(output, MOST)).collect::<Vec<_>>(),
        groups: [cover(to.size[0], 32), cover(to.size[1], 4), cover(to.size[2], 4)],
    })
}
