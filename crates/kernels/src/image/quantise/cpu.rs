//! Processor text of [`super::quantise`](fn@super::quantise).

use super::FixedPoint;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// Samples a call.
const BLOCK: usize = 4096;

pub(super) fn quantise(cpu: &Cpu, FixedPoint { step, most }: FixedPoint, samples: &mut [f32]) {
    let n = samples.len();
    let per_step = 1.0 / step;
    let shared = Shared::new(samples);
    cpu.split(n.div_ceil(BLOCK), n, |blocks| {
        for block in blocks {
            // SAFETY: every block is written by one thread.
            let samples = unsafe { shared.get_mut(block * BLOCK..((block + 1) * BLOCK).min(n)) };
            for sample in samples.iter_mut().filter(|s| !s.is_nan()) {
                let whole = (*sample * per_step + 0.5).floor() * step;
                *sample = if whole > most {
                    most
                } else if whole < -most {
                    -most
                } else {
                    whole
                };
            }
        }
    });
}
