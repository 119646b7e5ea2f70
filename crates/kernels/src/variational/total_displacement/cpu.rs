//! CPU text of the kernels in [`super`].

use super::{FromVoxels, Maps, ToVoxels};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::components_mut;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn to_voxels<const D: usize>(cpu: &Cpu, args: ToVoxels<'_>) {
    let Maps { base, linear } = args.maps();
    let matrix = base.matrix.map(|row| row.map(|v| v as f32));
    let offset = base.offset.map(|v| v as f32);
    each_voxel::<D>(cpu, args.shape, args.field, |[x, y, z], d| {
        [0, 1, 2].map(|r| {
            let (b, l) = (matrix[r], linear[r]);
            let base = offset[r] + b[0] * x + b[1] * y + b[2] * z;
            base + l[0] * d[0] + l[1] * d[1] + l[2] * d[2]
        })
    });
}

pub(super) fn from_voxels<const D: usize>(cpu: &Cpu, args: FromVoxels<'_>) {
    each_voxel::<D>(cpu, args.shape, args.field, |_, d| [0, 1, 2].map(|a| d[a] * args.spacing_edges[a]));
}

/// Maps every voxel's position and displacement to its new displacement.
fn each_voxel<const D: usize>(
    cpu: &Cpu,
    shape: Shape,
    field: &mut [Buffer],
    map: impl Fn(Axes<f32>, Axes<f32>) -> Axes<f32> + Sync,
) {
    let [nx, ny, _] = shape.size;
    cpu.split_rows(components_mut::<D>(field), nx, shape.len(), |row, lines| {
        for x in 0..nx {
            let d = [0, 1, 2].map(|c| if c < D { lines[c][x] } else { 0.0 });
            let out = map([x as f32, (row % ny) as f32, (row / ny) as f32], d);
            (0..D).for_each(|c| lines[c][x] = out[c]);
        }
    });
}
