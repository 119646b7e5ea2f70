//! Rows of several outputs, and parts of windows.

use std::ops::Range;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// [`Cpu::split_rows`] of as many outputs as there are.
pub(crate) fn split_rows(
    cpu: &Cpu,
    outputs: Vec<&mut [f32]>,
    width: usize,
    samples: usize,
    work: impl Fn(usize, Vec<&mut [f32]>) + Sync,
) {
    let count = outputs.first().map_or(0, |out| out.len() / width);
    let outputs: Vec<Shared<'_>> = outputs.into_iter().map(Shared::new).collect();
    cpu.split(count, samples, |rows| {
        for row in rows {
            let span = row * width..(row + 1) * width;
            // SAFETY: `split` hands every row to exactly one call.
            work(row, outputs.iter().map(|out| unsafe { out.get_mut(span.clone()) }).collect());
        }
    });
}

/// The part of a window that lies inside an axis of `count` samples.
pub(crate) fn cut(at: usize, radius: usize, count: usize) -> Range<usize> {
    at.saturating_sub(radius)..(at + radius + 1).min(count)
}
