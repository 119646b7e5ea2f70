//! Tests of the kernel on every device against its text for processors.

use crate::image::convolve::by_memory::{ConvolveByMemory, MemoryPath};
use crate::image::convolve::{Convolve, isotropic};
use crate::kernel::Kernel;
use crate::shared::taps::Taps;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, DeviceKind};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, shapes};

/// An image smoothed by a way through memory.
fn by_memory(device: &Device, shape: Shape, path: MemoryPath) -> Vec<Buffer> {
    let mut taps = isotropic(&Taps::gaussian(2.3, 3.0));
    taps[1] = Taps::gaussian(1.0, 2.0);
    let input = noise_buffer(device, shape.len(), 1);
    let mut out = noise_buffer(device, shape.len(), 2);
    ConvolveByMemory { shape, taps: &taps, path, input: &input, output: &mut out }.run(device).unwrap();
    vec![out]
}

on_every_device! {
    /// The processor has one way only, which is that of the kernel itself.
    fn ways_through_memory_have_the_same_bits(device: &Device) {
        let mut paths = vec![MemoryPath::Cached, MemoryPath::Workgroup];
        if matches!(device.kind(), DeviceKind::Gpu(gpu) if gpu.takes_cuda()) {
            paths.push(MemoryPath::PastFirstCache);
        }
        for shape in shapes() {
            for &path in &paths {
                Pair::new(device)
                    .alike(&format!("{:?}, {path:?}", shape.size), |device| by_memory(device, shape, path));
            }
        }
    }

    fn filters_of_every_length(device: &Device) {
        for shape in shapes() {
            // Radii 0, 1, 3, 7, 12 and 24: in packs, in registers, from memory.
            for (sigma_vox, truncate) in [(0.0, 1.0), (0.4, 2.0), (1.0, 3.0), (2.3, 3.0), (4.0, 3.0), (8.0, 3.0)] {
                let taps = isotropic(&Taps::gaussian(sigma_vox, truncate));
                Pair::new(device).alike(&format!("{:?}, radius {}", shape.size, taps[0].radius()), |device| {
                    let input = noise_buffer(device, shape.len(), 1);
                    let mut out = noise_buffer(device, shape.len(), 2);
                    Convolve { shape, taps: &taps, input: &input, output: &mut out }.run(device).unwrap();
                    vec![out]
                });
            }
        }
    }

    fn filters_of_pictures_above_each_other(device: &Device) {
        let shape = Shape { size: [45, 31, 3], dimension: Dimension::Two };
        let [x, y, _] = isotropic(&Taps::gaussian(1.0, 3.0));
        let taps = [x, y, Taps::gaussian(0.0, 1.0)];
        Pair::new(device).alike("a stack", |device| {
            let input = noise_buffer(device, shape.len(), 1);
            let mut out = noise_buffer(device, shape.len(), 2);
            Convolve { shape, taps: &taps, input: &input, output: &mut out }.run(device).unwrap();
            vec![out]
        });
    }

    fn filters_that_differ_by_axis(device: &Device) {
        let identity = Taps::gaussian(0.0, 1.0);
        for shape in shapes() {
            for axis in 0..3 {
                let mut taps = isotropic(&Taps::gaussian(1.3, 3.0));
                taps[axis] = identity.clone();
                Pair::new(device).alike(&format!("{:?}, without axis {axis}", shape.size), |device| {
                    let input = noise_buffer(device, shape.len(), 1);
                    let mut out = noise_buffer(device, shape.len(), 2);
                    Convolve { shape, taps: &taps, input: &input, output: &mut out }.run(device).unwrap();
                    vec![out]
                });
            }
        }
    }

    fn unknown_samples_spread_by_the_radius_alone(device: &Device) {
        let shape = Shape { size: [64, 20, 10], dimension: Dimension::Three };
        let taps = isotropic(&Taps::gaussian(1.0, 2.0));
        Pair::new(device).alike("NaN", |device| {
            let mut samples = noise(shape.len(), 1);
            samples[33 + 64 * (9 + 20 * 4)] = f32::NAN;
            let input = device.upload(samples).unwrap();
            let mut out = device.zeros(shape.len()).unwrap();
            Convolve { shape, taps: &taps, input: &input, output: &mut out }.run(device).unwrap();
            vec![out]
        });
    }

    fn long_lines_take_several_runs(device: &Device) {
        for size in [[8, 300, 2], [6, 5, 150]] {
            let shape = Shape { size, dimension: Dimension::Three };
            Pair::new(device).alike(&format!("{size:?}"), |device| {
                let input = noise_buffer(device, shape.len(), 1);
                let mut out = device.zeros(shape.len()).unwrap();
                let taps = isotropic(&Taps::gaussian(1.5, 3.0));
                Convolve { shape, taps: &taps, input: &input, output: &mut out }.run(device).unwrap();
                vec![out]
            });
        }
    }
}
