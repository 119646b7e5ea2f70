//! Launches of `compose.wgsl` and `add.wgsl`.

use super::{Compose, Update};
use crate::kernel::{Launcher, packed};
use crate::shared::{LATTICE, LINE, NAN, PACK1, PACK4};
use veloxel_gpu::{ComputeError, ShaderSource, Uniform, cover, line};

static COMPOSE: ShaderSource = ShaderSource::wgsl("compose", &[NAN, LATTICE, include_str!("compose.wgsl")]);
static ADD: [ShaderSource; 2] = [
    ShaderSource::wgsl("compose", &[LINE, PACK1, include_str!("add.wgsl")]),
    ShaderSource::wgsl("compose", &[LINE, PACK4, include_str!("add.wgsl")]),
];

pub(super) fn compose(gpu: &Launcher<'_>, args: Compose<'_>) -> Result<(), ComputeError> {
    let (shape, [nx, ny, nz]) = (args.shape, args.shape.size);
    let (launch, groups) = match args.update {
        Update::Add => {
            let (source, pack) = packed(&ADD, shape.len());
            let items = shape.len() / pack;
            (gpu.launch(source, "add").uniform(Uniform::new().u(items)), line(items, 256))
        }
        Update::Compose => {
            let uniform = Uniform::new().u4(shape.size).f4(args.spacing_edges.map(|s| 1.0 / s));
            (gpu.launch(&COMPOSE, "compose").uniform(uniform), [cover(nx, 64), cover(ny, 2), nz as u32])
        }
    };
    launch
        .constant("COMPONENTS", shape.components())
        .inputs(args.displacement, 3)
        .outputs(args.increment, 3)
        .run(groups)
}
