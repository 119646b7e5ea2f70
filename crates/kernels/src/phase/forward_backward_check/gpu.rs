//! Launch of `forward_backward_check.wgsl`.

use super::Matches;
use crate::shared::NAN;
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover};

static TEXT: ShaderSource =
    ShaderSource::wgsl("forward_backward_check", &[NAN, include_str!("forward_backward_check.wgsl")]);

pub(super) fn forward_backward_check(
    gpu: &dyn Gpu,
    ([nx, ny], threshold_px): ([usize; 2], f32),
    (matches, confidence): (Matches<'_>, &Buffer),
    (out, confidence_out): (&Buffer, &Buffer),
) -> Result<(), ComputeError> {
    let [forward, backward] = matches.buffers();
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "forward_backward_check",
        constants: &[("COMPONENTS", matches.components() as f64)],
        uniform: Uniform::new().u(nx).u(ny).f(threshold_px * threshold_px),
        buffers: &[
            Bind::In(forward),
            Bind::In(backward),
            Bind::In(confidence),
            Bind::Out(out),
            Bind::Out(confidence_out),
        ],
        groups: [cover(nx, 32), cover(ny, 4), 1],
    })
}
