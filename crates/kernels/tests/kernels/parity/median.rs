use super::*;
use veloxel_kernels::image::median::{Median, WeightedMedian, median};
use veloxel_testkit::on_every_device;

fn check(device: &Device, shape: Shape, kind: Median, voted: bool) {
    Pair::new(device).alike(&format!("{kind:?} {shape:?}"), |device| {
        let (n, d) = (shape.len(), shape.components());
        let field = noise_field(device, (d, n), 3);
        let guide = noise_buffer(device, n, 7);
        let votes: Vec<f32> = noise(n, 8).iter().map(|v| v.abs()).collect();
        let votes = device.upload(votes).unwrap();
        let mut out = device.zeros_field(d, n).unwrap();
        let vote = voted.then_some(&votes);
        median(device, (shape, kind), (&field, &guide, vote), &mut out).unwrap();
        out
    });
}

const WINDOW: WeightedMedian =
    WeightedMedian { radius: 6, stride: 2, sigma_vox: 4.0, sigma_intensity: 0.5, edge: 0.8, reach: 1 };

on_every_device! {
    fn plain_windows(device: &Device) {
        for shape in shapes() {
            for radius in [1, 2] {
                check(device, shape, Median::Plain { radius }, false);
            }
        }
    }

    fn wide_windows(device: &Device) {
        check(device, shapes()[0], Median::Plain { radius: 3 }, false);
        check(device, shapes()[1], Median::Plain { radius: 4 }, false);
        check(device, shapes()[4], Median::Plain { radius: 3 }, false);
    }

    fn weighted_windows(device: &Device) {
        for shape in &shapes()[..2] {
            check(device, *shape, Median::Weighted(WINDOW), true);
            let other = WeightedMedian { radius: 3, stride: 1, reach: 4, edge: 1.2, ..WINDOW };
            check(device, *shape, Median::Weighted(other), false);
        }
    }
}
