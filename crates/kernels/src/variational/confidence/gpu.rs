//! Launches of `confidence.wgsl`.

use super::Scales;
use crate::shared::{LINE, PACK1, PACK4};
use veloxel_core::Shape;
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, line};

const BODY: &str = include_str!("confidence.wgsl");
static SINGLE: ShaderSource = ShaderSource::wgsl("confidence", &[LINE, PACK1, BODY]);
static QUADS: ShaderSource = ShaderSource::wgsl("confidence", &[LINE, PACK4, BODY]);

pub(super) fn confidence(
    gpu: &dyn Gpu,
    (shape, scales): (Shape, Scales),
    tensor: &[Buffer],
    out: &Buffer,
) -> Result<(), ComputeError> {
    let n = shape.len();
    let (text, pack) = if n.is_multiple_of(4) { (&QUADS, 4) } else { (&SINGLE, 1) };
    // The mixed entries are not looked at.
    let (spatial, tt) = (&tensor[..shape.tensor_entries()], &tensor[tensor.len() - 1]);
    let mut buffers = vec![Bind::Out(out)];
    buffers.extend(spatial.iter().chain([tt]).map(Bind::input));
    buffers.resize(8, Bind::Absent);
    gpu.launch(&Launch {
        source: text,
        entry: "confidence",
        constants: &[("COMPONENTS", shape.components() as f64)],
        uniform: Uniform::new()
            .u(n / pack)
            .f(scales.determinacy)
            .f(scales.determinacy / shape.components() as f32)
            .f(1.0 / (scales.mismatch * scales.mismatch)),
        buffers: &buffers,
        groups: line(n / pack, 256),
    })
}
