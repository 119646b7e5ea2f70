//! Launch of `quantise.wgsl`.

use super::FixedPoint;
use crate::shared::{LINE, NAN};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, line};

static TEXT: ShaderSource = ShaderSource::wgsl("quantise", &[LINE, NAN, include_str!("quantise.wgsl")]);

pub(super) fn quantise(
    gpu: &dyn Gpu,
    FixedPoint { step, most }: FixedPoint,
    samples: &Buffer,
) -> Result<(), ComputeError> {
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "quantise",
        constants: &[],
        uniform: Uniform::new().u(samples.len()).f(step).f(1.0 / step).f(most),
        buffers: &[Bind::Out(samples)],
        groups: line(samples.len(), 256),
    })
}
