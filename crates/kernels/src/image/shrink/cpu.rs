//! Processor text of [`Shrink`]: the kernels that it is made of.

use super::Shrink;
use crate::image::convolve::Convolve;
use crate::image::pointwise::{CopyBuffer, InPlace, Operation};
use crate::image::resample::Resample;
use crate::kernel::Kernel;
use std::slice::{from_mut, from_ref};
use veloxel_gpu::Cpu;

pub(super) fn shrink(cpu: &Cpu, args: Shrink<'_>) {
    let Shrink { images, maps, taps, from, out, to, memory } = args;
    let [mapped, smooth] = memory else { panic!("a processor should have memory to work in") };
    for (nth, (image, out)) in images.iter().zip(out).enumerate() {
        CopyBuffer { from: image, to: mapped }.on_cpu(cpu);
        if let Some(map) = maps.get(nth) {
            let operation = Operation::MapAffine { gain: map.gain, offset: map.offset };
            InPlace { operation, field: from_mut(mapped) }.on_cpu(cpu);
        }
        let output = if from == to { &mut *out } else { &mut *smooth };
        Convolve { shape: from, taps, input: mapped, output }.on_cpu(cpu);
        if from != to {
            let (input, output) = (from_ref(smooth), from_mut(out));
            Resample { input, input_shape: from, output, output_shape: to, factor: 1.0 }.on_cpu(cpu);
        }
    }
}
