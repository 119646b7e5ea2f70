//! Processor text of the kernels in [`super`].

use crate::image::warp::VoxelAffine;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

/// `d ← base(x) + linear · d`.
pub(super) fn to_voxels(
    cpu: &Cpu,
    shape: Shape,
    (base, linear): (VoxelAffine, Axes<Axes<f32>>),
    field: &mut [Buffer],
) {
    let matrix = base.matrix.map(|row| row.map(|v| v as f32));
    let offset = base.offset.map(|v| v as f32);
    each_voxel(cpu, shape, field, |[x, y, z], d| {
        [0, 1, 2].map(|r| {
            let (b, l) = (matrix[r], linear[r]);
            let base = offset[r] + b[0] * x + b[1] * y + b[2] * z;
            base + l[0] * d[0] + l[1] * d[1] + l[2] * d[2]
        })
    });
}

pub(super) fn from_voxels(cpu: &Cpu, shape: Shape, spacing_edges: Axes<f32>, field: &mut [Buffer]) {
    each_voxel(cpu, shape, field, |_, d| [0, 1, 2].map(|a| d[a] * spacing_edges[a]));
}

fn each_voxel(
    cpu: &Cpu,
    shape: Shape,
    field: &mut [Buffer],
    map: impl Fn(Axes<f32>, Axes<f32>) -> Axes<f32> + Sync,
) {
    let parts: Vec<Shared<'_>> = field.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let [nx, ny, _] = shape.size;
    cpu.split(shape.rows(), shape.len(), |rows| {
        for row in rows {
            // SAFETY: every row is written by one thread.
            let mut lines: Vec<&mut [f32]> =
                parts.iter().map(|p| unsafe { p.get_mut(row * nx..(row + 1) * nx) }).collect();
            for x in 0..nx {
                let mut d = [0.0; 3];
                d.iter_mut().zip(&lines).for_each(|(d, l)| *d = l[x]);
                let out = map([x as f32, (row % ny) as f32, (row / ny) as f32], d);
                lines.iter_mut().zip(out).for_each(|(l, v)| l[x] = v);
            }
        }
    });
}
