//! Processor text of [`super::Quantise`].

use super::FixedPoint;
use veloxel_gpu::Cpu;

pub(super) fn quantise(cpu: &Cpu, FixedPoint { step, most }: FixedPoint, samples: &mut [f32]) {
    let per_step = 1.0 / step;
    cpu.split_samples(samples, 1, |_, part| {
        for sample in part.iter_mut().filter(|s| !s.is_nan()) {
            let whole = (*sample * per_step + 0.5).floor() * step;
            *sample = if whole > most {
                most
            } else if whole < -most {
                -most
            } else {
                whole
            };
        }
    });
}
