//! Launches of `warp.wgsl`.

use super::{Cut, Interpolation, VoxelAffine, Warp};
use crate::kernel::Launcher;
use crate::shared::{LATTICE, NAN};
use veloxel_gpu::{ComputeError, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource = ShaderSource::wgsl("warp", &[NAN, LATTICE, include_str!("warp.wgsl")]);

pub(super) fn warp(gpu: &Launcher<'_>, args: Warp<'_>) -> Result<(), ComputeError> {
    let map = args.moving_from_fixed;
    let (d, [nx, ny, nz], moving) = (args.shape.components(), args.shape.size, args.moving_shape.size);
    // A spline has loads enough to wait for with one voxel.
    let (interpolation, voxels) = match args.interpolation {
        Interpolation::Nearest => (0usize, 4),
        Interpolation::Linear => (1, 4),
        Interpolation::CubicSpline => (2, 1),
        Interpolation::MostWeight => (3, 1),
    };
    let mut uniform = Uniform::new().u4(args.shape.size).f4(args.spacing_edges.map(|s| 1.0 / s));
    for row in map.matrix {
        uniform = uniform.f4(row.map(|v| v as f32));
    }
    for (row, offset) in map.added().into_iter().zip(map.offset) {
        let [x, y, z] = row.map(|v| v as f32);
        uniform = uniform.f4([x, y, z, offset as f32]);
    }
    let cut = args.cut.unwrap_or(Cut::none(args.moving_shape));
    uniform = uniform.u4(moving).u4(cut.fixed_begin).u4(cut.moving_begin).u4(cut.moving_whole);
    uniform = uniform.f(args.border.reach_vox());
    let (groups, depth) = match d {
        2 => ([cover(nx, 32), cover(ny, 8 * voxels), 1], 1usize),
        _ => ([cover(nx, 32), cover(ny, 8), cover(nz, voxels)], 4),
    };
    gpu.launch(&SOURCE, "warp")
        .constant("COMPONENTS", d)
        .constant("INTERPOLATION", interpolation)
        .constant("AFFINE", map != VoxelAffine::IDENTITY)
        .constant("VOXELS", voxels)
        .constant("PART", args.cut.is_some())
        .constant("THIN", moving[0] == 1)
        .constant("DEPTH", depth)
        .uniform(uniform)
        .input(args.moving)
        .inputs(args.displacement, 3)
        .output(args.out)
        .run(groups)
}
