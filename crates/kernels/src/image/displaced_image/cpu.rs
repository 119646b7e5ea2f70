//! Processor text of [`super::displaced_image`](fn@super::displaced_image).

use crate::phase::gabor::Levels;
use crate::shared::expansion::Coarser;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

pub(super) fn displaced_image(
    cpu: &Cpu,
    (levels, level, factor): (&Levels, usize, f32),
    (image, coarser): (&[f32], &[f32]),
    out: &mut [f32],
) {
    let [nx, ny] = levels.size(level);
    let image = &image[levels.start(level)..][..nx * ny];
    let size = [nx, ny].map(|n| n.div_ceil(2));
    let planes: Vec<Coarser<'_>> =
        coarser.chunks_exact(size[0] * size[1]).map(|samples| Coarser { size, samples }).collect();
    let out = Shared::new(out);
    cpu.split(ny, 4 * nx * ny, |rows| {
        for y in rows {
            // SAFETY: every row is written by one thread.
            let out = unsafe { out.get_mut(y * nx..(y + 1) * nx) };
            for (x, out) in out.iter_mut().enumerate() {
                let mut at = [x as f32, y as f32];
                for (at, plane) in at.iter_mut().zip(&planes) {
                    let d = plane.at(x, y);
                    *at += if d.is_nan() { 0.0 } else { factor * d };
                }
                let [(x0, x1, wx), (y0, y1, wy)] = [(at[0], nx), (at[1], ny)].map(|(at, count)| {
                    let last = (count - 1) as f32;
                    let clamped = if at > 0.0 { if at < last { at } else { last } } else { 0.0 };
                    let low = (clamped as usize).min(count.max(2) - 2);
                    (low, (low + 1).min(count - 1), clamped - low as f32)
                });
                let sample = |x: usize, y: usize| image[y * nx + x];
                let top = sample(x0, y0) + wx * (sample(x1, y0) - sample(x0, y0));
                let bottom = sample(x0, y1) + wx * (sample(x1, y1) - sample(x0, y1));
                *out = top + wy * (bottom - top);
            }
        }
    });
}
