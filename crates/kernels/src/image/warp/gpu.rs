//! Launches of `warp.wgsl`.

use super::{Interpolation, VoxelAffine, Warp};
use crate::shared::{LATTICE, NAN};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, inputs};

static TEXT: ShaderSource = ShaderSource::wgsl("warp", &[NAN, LATTICE, include_str!("warp.wgsl")]);

pub(super) fn warp(gpu: &dyn Gpu, args: &Warp<'_>, out: &mut Buffer) -> Result<(), ComputeError> {
    let map = args.moving_from_fixed;
    let (d, [nx, ny, nz]) = (args.shape.components(), args.shape.size);
    // A spline has loads enough to wait for with one voxel.
    let (interpolation, voxels) = match args.interpolation {
        Interpolation::Nearest => (0.0, 4),
        Interpolation::Linear => (1.0, 4),
        Interpolation::CubicSpline => (2.0, 1),
    };
    let affine = args.moving_from_fixed != VoxelAffine::IDENTITY;
    let mut uniform = Uniform::new().u4(args.shape.size).f4(args.spacing_edges.map(|s| 1.0 / s));
    for row in map.matrix {
        uniform = uniform.f4(row.map(|v| v as f32));
    }
    for (row, offset) in map.added().into_iter().zip(map.offset) {
        let [x, y, z] = row.map(|v| v as f32);
        uniform = uniform.f4([x, y, z, offset as f32]);
    }
    let groups = match d {
        2 => [cover(nx, 32), cover(ny, 8 * voxels), 1],
        _ => [cover(nx, 32), cover(ny, 8), cover(nz, voxels)],
    };
    let mut buffers = vec![Bind::In(args.moving)];
    buffers.extend(inputs(args.displacement, 3));
    buffers.push(Bind::Out(out));
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "warp",
        constants: &[
            ("COMPONENTS", d as f64),
            ("INTERPOLATION", interpolation),
            ("AFFINE", f64::from(u8::from(affine))),
            ("VOXELS", voxels as f64),
            ("THIN", f64::from(u8::from(nx == 1))),
            ("DEPTH", if d == 3 { 4.0 } else { 1.0 }),
        ],
        uniform,
        buffers: &buffers,
        groups,
    })
}
