//! Launches of `total_displacement.wgsl`.

use crate::image::warp::VoxelAffine;
use crate::shared::{PACK1, PACK4};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, outputs};

static TEXT1: ShaderSource = ShaderSource::wgsl(
    "total_displacement",
    &[PACK1, include_str!("along1.wgsl"), include_str!("total_displacement.wgsl")],
);
static TEXT4: ShaderSource = ShaderSource::wgsl(
    "total_displacement",
    &[PACK4, include_str!("along4.wgsl"), include_str!("total_displacement.wgsl")],
);

pub(super) fn to_voxels(
    gpu: &dyn Gpu,
    shape: Shape,
    (base, linear): (VoxelAffine, Axes<Axes<f32>>),
    field: &[Buffer],
) -> Result<(), ComputeError> {
    launch(gpu, ("to_voxels", shape), (base, linear), field)
}

pub(super) fn from_voxels(
    gpu: &dyn Gpu,
    shape: Shape,
    [x, y, z]: Axes<f32>,
    field: &[Buffer],
) -> Result<(), ComputeError> {
    let scaling = [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
    launch(gpu, ("from_voxels", shape), (VoxelAffine::IDENTITY, scaling), field)
}

fn launch(
    gpu: &dyn Gpu,
    (entry, shape): (&'static str, Shape),
    (base, linear): (VoxelAffine, Axes<Axes<f32>>),
    field: &[Buffer],
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = shape.size;
    let (text, pack) = if nx % 4 == 0 { (&TEXT4, 4) } else { (&TEXT1, 1) };
    let mut uniform = Uniform::new().u4([nx / pack, ny, nz]);
    for (row, offset) in base.matrix.into_iter().zip(base.offset) {
        let [x, y, z] = row.map(|v| v as f32);
        uniform = uniform.f4([x, y, z, offset as f32]);
    }
    gpu.launch(&Launch {
        source: text,
        entry,
        constants: &[("COMPONENTS", field.len() as f64)],
        uniform: linear.into_iter().fold(uniform, Uniform::f4),
        buffers: &outputs(field, 3).collect::<Vec<_>>(),
        groups: [cover(nx / pack, 32), cover(ny, 4), nz as u32],
    })
}
