//! CPU text of the kernels in [`super`].

use super::{FromVoxels, Maps, ToVoxels};
use multiversion::multiversion;
use veloxel_core::Axes;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::components_mut;

pub(super) fn to_voxels<const D: usize>(cpu: &Cpu, args: ToVoxels<'_>) {
    let Maps { base, linear } = args.maps();
    let matrix = base.matrix.map(|row| row.map(|v| v as f32));
    let offset = base.offset.map(|v| v as f32);
    let [nx, ny, _] = args.shape.size;
    cpu.split_rows(components_mut::<D>(args.field), nx, args.shape.len(), |row, lines| {
        let position = [0.0, (row % ny) as f32, (row / ny) as f32];
        let maps = [0, 1, 2].map(|r| RowMap { offset: offset[r], base: matrix[r], linear: linear[r] });
        to_voxels_row(lines, position, &maps);
    });
}

/// How a component of the total displacement follows from position and displacement.
struct RowMap {
    offset: f32,
    base: Axes<f32>,
    linear: Axes<f32>,
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn to_voxels_row<const D: usize>(mut lines: [&mut [f32]; D], [_, y, z]: Axes<f32>, maps: &Axes<RowMap>) {
    let n = lines[0].len();
    for line in &mut lines {
        *line = &mut std::mem::take(line)[..n];
    }
    for i in 0..n {
        let x = i as f32;
        let d: [f32; D] = std::array::from_fn(|c| lines[c][i]);
        for r in 0..D {
            let RowMap { offset, base, linear } = &maps[r];
            let mut sum = offset + base[0] * x + base[1] * y;
            if D == 3 {
                sum += base[2] * z;
            }
            for c in 0..D {
                sum += linear[c] * d[c];
            }
            lines[r][i] = sum;
        }
    }
}

pub(super) fn from_voxels<const D: usize>(cpu: &Cpu, args: FromVoxels<'_>) {
    let nx = args.shape.size[0];
    cpu.split_rows(components_mut::<D>(args.field), nx, args.shape.len(), |_, lines| {
        for (line, spacing_edges) in lines.into_iter().zip(args.spacing_edges) {
            line.iter_mut().for_each(|d| *d *= spacing_edges);
        }
    });
}
