//! Tests of the kernel on every device against its text for processors.

use crate::image::median::{Median, MedianKind, WeightedMedian};
use crate::kernel::Kernel;
use veloxel_core::Shape;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, noise_field, shapes};

fn check(device: &Device, shape: Shape, kind: MedianKind, voted: bool) {
    Pair::new(device).alike(&format!("{kind:?} {shape:?}"), |device| {
        let (n, d) = (shape.len(), shape.components());
        let field = noise_field(device, d, n, 3);
        let guide = noise_buffer(device, n, 7);
        let votes: Vec<f32> = noise(n, 8).iter().map(|v| v.abs()).collect();
        let votes = device.upload(votes).unwrap();
        let mut out = device.zeros_field(d, n).unwrap();
        let vote = voted.then_some(&votes);
        Median { shape, kind, field: &field, guide: &guide, vote, out: &mut out }.run(device).unwrap();
        out
    });
}

const WINDOW: WeightedMedian =
    WeightedMedian { radius: 6, stride: 2, sigma_vox: 4.0, sigma_intensity: 0.5, edge: 0.8, reach: 1 };

on_every_device! {
    fn plain_windows(device: &Device) {
        for shape in shapes() {
            for radius in [1, 2] {
                check(device, shape, MedianKind::Plain { radius }, false);
            }
        }
    }

    fn wide_windows(device: &Device) {
        check(device, shapes()[0], MedianKind::Plain { radius: 3 }, false);
        check(device, shapes()[1], MedianKind::Plain { radius: 4 }, false);
        check(device, shapes()[4], MedianKind::Plain { radius: 3 }, false);
    }

    fn weighted_windows(device: &Device) {
        for shape in &shapes()[..2] {
            check(device, *shape, MedianKind::Weighted(WINDOW), true);
            let other = WeightedMedian { radius: 3, stride: 1, reach: 4, edge: 1.2, ..WINDOW };
            check(device, *shape, MedianKind::Weighted(other), false);
        }
    }
}
