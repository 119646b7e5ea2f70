//! Processor text of [`super::Census`].

use super::{BEYOND, Census, neighbours};
use veloxel_core::Axes;
use veloxel_gpu::Cpu;

pub(super) fn census(cpu: &Cpu, args: Census<'_>) {
    let Census { shape, threshold, image, start, margin, codes } = args;
    let [nx, ny, nz] = shape.size;
    let (image, neighbours) = (image.host(), neighbours(shape.dimension));
    let (wide, high) = (nx + 2 * margin, ny + 2 * margin);
    let codes = &mut codes.host_mut()[start..start + wide * high * nz];
    let rows = veloxel_gpu::rows::Shared::new(codes);
    cpu.split(high * nz, 8 * shape.len(), |range| {
        for held in range {
            // SAFETY: every row is written by one thread.
            let out = unsafe { rows.get_mut(held * wide..(held + 1) * wide) };
            out.fill(BEYOND);
            let Some(y) = (held % high).checked_sub(margin).filter(|&y| y < ny) else { continue };
            let (row, out) = (held / high * ny + y, &mut out[margin..margin + nx]);
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
