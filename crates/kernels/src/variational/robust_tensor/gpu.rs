//! Launches of `robust_tensor.wgsl`: one a constraint, since all together would need more buffers than some devices bind.

use super::Group;
use crate::shared::{LINE, PACK1, PACK4};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, inputs, line, outputs};

const BODY: &str = include_str!("robust_tensor.wgsl");
static SINGLE: ShaderSource = ShaderSource::wgsl("robust_tensor", &[LINE, PACK1, BODY]);
static QUADS: ShaderSource = ShaderSource::wgsl("robust_tensor", &[LINE, PACK4, BODY]);

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
            source: text,
            entry: "robust_tensor",
            constants: &[("COMPONENTS", shape.components() as f64), ("FIRST", f64::from(u8::from(nth == 0)))],
            uniform: Uniform::new().u(n / pack).f(1.0 / (epsilon * epsilon)).f(group.gain),
            buffers: &buffers,
            groups: line(n / pack, 256),
        })
    })
}
