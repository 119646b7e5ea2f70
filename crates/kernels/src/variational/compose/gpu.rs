//! Launches of `compose.wgsl`.

use super::Update;
use crate::shared::{LATTICE, LINE, NAN, PACK1, PACK4};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, inputs, line, outputs};

static TEXT: ShaderSource = ShaderSource::wgsl("compose", &[NAN, LATTICE, include_str!("compose.wgsl")]);
static ADD1: ShaderSource = ShaderSource::wgsl("compose", &[LINE, PACK1, include_str!("add.wgsl")]);
static ADD4: ShaderSource = ShaderSource::wgsl("compose", &[LINE, PACK4, include_str!("add.wgsl")]);

pub(super) fn compose(
    gpu: &dyn Gpu,
    (shape, spacing_edges): (Shape, Axes<f32>),
    (update, displacement): (Update, &[Buffer]),
    increment: &mut [Buffer],
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = shape.size;
    let (text, entry, uniform, groups) = match update {
        Update::Add => {
            let (text, pack) = if shape.len() % 4 == 0 { (&ADD4, 4) } else { (&ADD1, 1) };
            let items = shape.len() / pack;
            (text, "add", Uniform::new().u(items), line(items, 256))
        }
        Update::Compose => {
            let uniform = Uniform::new().u4(shape.size).f4(spacing_edges.map(|s| 1.0 / s));
            (&TEXT, "compose", uniform, [cover(nx, 64), cover(ny, 2), nz as u32])
        }
    };
    gpu.launch(&Launch {
        source: text,
        entry,
        constants: &[("COMPONENTS", shape.components() as f64)],
        uniform,
        buffers: &inputs(displacement, 3).chain(outputs(increment, 3)).collect::<Vec<_>>(),
        groups,
    })
}
