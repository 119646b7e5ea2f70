//! Launches of `confidence.wgsl`.

use super::Scales;
use crate::gpu::{Bind, Gpu, LINE, Launch, PACK1, PACK4, Text, Uniform, line};
use crate::{Buffer, ComputeError, Shape};

const BODY: &str = include_str!("confidence.wgsl");
static SINGLE: Text = Text { name: "confidence", parts: &[LINE, PACK1, BODY] };
static QUADS: Text = Text { name: "confidence", parts: &[LINE, PACK4, BODY] };

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
    buffers.extend(spatial.iter().chain([tt]).map(Bind::In));
    buffers.resize(8, Bind::Absent);
    gpu.launch(&Launch {
        text,
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
