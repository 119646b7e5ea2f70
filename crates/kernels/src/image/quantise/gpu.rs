//! Launch of `quantise.wgsl`.

use super::FixedPoint;
use crate::gpu::{Bind, Gpu, LINE, Launch, NAN, Text, Uniform, line};
use crate::{Buffer, ComputeError};

static TEXT: Text = Text { name: "quantise", parts: &[LINE, NAN, include_str!("quantise.wgsl")] };

pub(super) fn quantise(
    gpu: &dyn Gpu,
    FixedPoint { step, most }: FixedPoint,
    samples: &Buffer,
) -> Result<(), ComputeError> {
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "quantise",
        constants: &[],
        uniform: Uniform::new().u(samples.len()).f(step).f(1.0 / step).f(most),
        buffers: &[Bind::Out(samples)],
        groups: line(samples.len(), 256),
    })
}
