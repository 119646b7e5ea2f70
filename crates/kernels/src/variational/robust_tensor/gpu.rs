//! Launches of `robust_tensor.wgsl`: one a constraint, since all together would need more buffers than some devices bind.

use super::Group;
use crate::gpu::{Gpu, LINE, Launch, PACK1, PACK4, Text, Uniform, inputs, line, outputs};
use crate::{Buffer, ComputeError, Shape};

const BODY: &str = include_str!("robust_tensor.wgsl");
static SINGLE: Text = Text { name: "robust_tensor", parts: &[LINE, PACK1, BODY] };
static QUADS: Text = Text { name: "robust_tensor", parts: &[LINE, PACK4, BODY] };

pub(super) fn robust_tensor(
    gpu: &dyn Gpu,
    (shape, epsilon): (Shape, f32),
    (groups, increment): (&[Group<'_>], &[Buffer]),
    out: &[Buffer],
) -> Result<(), ComputeError> {
    let n = shape.len();
    let (text, pack) = if n.is_multiple_of(4) { (&QUADS, 4) } else { (&SINGLE, 1) };
    groups.iter().enumerate().try_for_each(|(nth, group)| {
        let tensors = inputs(group.tensor, 10).chain(outputs(out, 9));
        let buffers: Vec<_> = inputs(increment, 3).chain(tensors).collect();
        gpu.launch(&Launch {
            text,
            entry: "robust_tensor",
            constants: &[("COMPONENTS", shape.components() as f64), ("FIRST", f64::from(u8::from(nth == 0)))],
            uniform: Uniform::new().u(n / pack).f(1.0 / (epsilon * epsilon)).f(group.gain),
            buffers: &buffers,
            groups: line(n / pack, 256),
        })
    })
}
