//! Launches of `diffusivity.wgsl`.

use super::Diffusivity;
use crate::gpu::{Bind, Gpu, Launch, Text, Uniform, cover, inputs};
use crate::{Buffer, ComputeError};

static TEXT: Text = Text { name: "diffusivity", parts: &[include_str!("diffusivity.wgsl")] };

pub(super) fn diffusivity(
    gpu: &dyn Gpu,
    args: &Diffusivity<'_>,
    (base, increment): (&[Buffer], &[Buffer]),
    out: &Buffer,
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = args.shape.size;
    let flag = |set: bool| f64::from(u8::from(set));
    let share = args.spacing_edges.map(|s| args.epsilon.map_or(0.0, |epsilon| 0.5 / (s * epsilon).powi(2)));
    let [sx, sy, sz] = args.spacing_edges.map(|s| 1.0 / (12.0 * s));
    let kappa = args.image.map_or(0.0, |(kappa, _)| kappa);
    let mut buffers: Vec<_> = inputs(base, 3).chain(inputs(increment, 3)).collect();
    buffers.extend([Bind::optional(args.image.map(|(_, image)| image)), Bind::Out(out)]);
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "diffusivity",
        constants: &[
            ("COMPONENTS", args.shape.components() as f64),
            ("ROBUST", flag(args.epsilon.is_some())),
            ("EDGES", flag(args.image.is_some())),
        ],
        uniform: Uniform::new().u4([nx, ny, nz]).f4(share).f4([sx, sy, sz, kappa]),
        buffers: &buffers,
        groups: [cover(nx, 64), cover(ny, 4), nz as u32],
    })
}
