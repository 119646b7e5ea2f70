//! Launches of `diffusivity.wgsl`.

use super::Diffusivity;
use crate::shared::{EXPONENTIAL, PACK1, PACK4, SIDES1, SIDES4};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, inputs, tile};

const BODY: &str = include_str!("diffusivity.wgsl");
static TEXT1: ShaderSource =
    ShaderSource::wgsl("diffusivity", &[PACK1, SIDES1, EXPONENTIAL, BODY, include_str!("slope1.wgsl")]);
static TEXT4: ShaderSource =
    ShaderSource::wgsl("diffusivity", &[PACK4, SIDES4, EXPONENTIAL, BODY, include_str!("slope4.wgsl")]);

/// Planes that a thread marches through; neighbours in them are looked up once.
const DEPTH: usize = 16;

pub(super) fn diffusivity(
    gpu: &dyn Gpu,
    args: &Diffusivity<'_>,
    (base, increment): (&[Buffer], &[Buffer]),
    out: &Buffer,
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = args.shape.size;
    let (text, pack) = if nx.is_multiple_of(4) { (&TEXT4, 4) } else { (&TEXT1, 1) };
    let [width, height] = tile(nx / pack);
    let flag = |set: bool| f64::from(u8::from(set));
    let share = args.spacing_edges.map(|s| args.epsilon.map_or(0.0, |epsilon| 0.5 / (s * epsilon).powi(2)));
    let [sx, sy, sz] = args.spacing_edges.map(|s| 1.0 / s);
    let kappa = args.image.map_or(0.0, |(kappa, _)| kappa);
    let mut buffers: Vec<_> = inputs(base, 3).chain(inputs(increment, 3)).collect();
    buffers.extend([Bind::optional(args.image.map(|(_, image)| image)), Bind::Out(out)]);
    gpu.launch(&Launch {
        source: text,
        entry: "diffusivity",
        constants: &[
            ("COMPONENTS", args.shape.components() as f64),
            ("ROBUST", flag(args.epsilon.is_some())),
            ("EDGES", flag(args.image.is_some())),
            ("WIDTH", width as f64),
            ("HEIGHT", height as f64),
            ("DEPTH", DEPTH as f64),
        ],
        uniform: Uniform::new()
            .u4([nx / pack, ny, nz])
            .f4([share[0], share[1], share[2], 1.0 / 12.0])
            .f4([sx, sy, sz, kappa]),
        buffers: &buffers,
        groups: [cover(nx / pack, width), cover(ny, height), cover(nz, DEPTH)],
    })
}
