//! Processor text of [`super::Census`].

use super::{Census, neighbours};
use veloxel_core::Axes;
use veloxel_gpu::Cpu;

pub(super) fn census(cpu: &Cpu, args: Census<'_>) {
    let Census { shape, threshold, image, start, codes } = args;
    let [nx, ny, nz] = shape.size;
    let (image, neighbours) = (image.host(), neighbours(shape.dimension));
    let codes = &mut codes.host_mut()[start..start + shape.len()];
    let rows = veloxel_gpu::rows::Shared::new(codes);
    cpu.split(ny * nz, 8 * shape.len(), |range| {
        for row in range {
            // SAFETY: every row is written by one thread.
            let out = unsafe { rows.get_mut(row * nx..(row + 1) * nx) };
            out.fill(0);
            let own = &image[row * nx..][..nx];
            for (bit, step) in neighbours.iter().enumerate() {
                let line = &image[line_of(row, step, [nx, ny, nz])..][..nx];
                for (x, out) in out.iter_mut().enumerate() {
                    let at = (x as i32 + step[0]).clamp(0, nx as i32 - 1) as usize;
                    *out |= u32::from(line[at] > own[x] + threshold) << bit;
                }
            }
        }
    });
}

/// Where the row begins that lies a step away, or at the border.
fn line_of(row: usize, step: &Axes<i32>, [nx, ny, nz]: Axes<usize>) -> usize {
    let y = ((row % ny) as i32 + step[1]).clamp(0, ny as i32 - 1) as usize;
    let z = ((row / ny) as i32 + step[2]).clamp(0, nz as i32 - 1) as usize;
    (z * ny + y) * nx
}
