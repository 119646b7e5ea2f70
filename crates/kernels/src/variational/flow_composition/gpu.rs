//! Launches of `flow_composition.wgsl`.

use super::{FlowComposition, Outside};
use crate::shared::{LATTICE, NAN};
use veloxel_gpu::{Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, inputs, outputs};

static TEXT: ShaderSource =
    ShaderSource::wgsl("flow composition", &[NAN, LATTICE, include_str!("flow_composition.wgsl")]);

pub(super) fn compose_flows(
    gpu: &dyn Gpu,
    args: &FlowComposition<'_>,
    out: &[Buffer],
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = args.shape.size;
    let keeps = f64::from(u8::from(args.outside == Outside::KeepFirst));
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "compose_flows",
        constants: &[("COMPONENTS", args.shape.components() as f64), ("KEEP_FIRST", keeps)],
        uniform: Uniform::new().u4(args.shape.size),
        buffers: &inputs(args.first, 3)
            .chain(inputs(args.second, 3))
            .chain(outputs(out, 3))
            .collect::<Vec<_>>(),
        groups: [cover(nx, 64), cover(ny, 4), nz as u32],
    })
}
