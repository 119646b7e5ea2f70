//! Tests of the kernel on every device against its text for processors.

use crate::image::quantiles::{FirstUnknown, Quantiles};
use crate::kernel::Kernel;
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{noise, noise_buffer};

on_every_device! {
    fn order_statistics_are_exact(device: &Device) {
        let cpu = Device::cpu(1).unwrap();
        for (n, step) in [(1, 1), (5, 2), (1000, 1), (100_001, 7)] {
            let found = |device: &Device, weighted: bool| {
                let image = noise_buffer(device, n, 3);
                let weight = weighted.then(|| noise_buffer(device, n, 4));
                                [[0, 1000], [5, 995], [500, 250]]
                    .map(|shares| {
                        let kernel = Quantiles { image: &image, weight: weight.as_ref(), step, shares };
                        kernel.run(device).unwrap().get(device).unwrap()
                    })
            };
            for weighted in [false, true] {
                assert_eq!(found(device, weighted), found(&cpu, weighted), "{n} samples, every {step}");
            }
        }
    }

    fn nothing_has_no_order(device: &Device) {
        let image = noise_buffer(device, 100, 3);
        let nowhere = device.zeros(100).unwrap();
        let kernel = Quantiles { image: &image, weight: Some(&nowhere), step: 1, shares: [0, 1000] };
        assert_eq!(kernel.run(device).unwrap().get(device).unwrap(), None);
    }

    fn the_first_unknown_is_named(device: &Device) {
        let first = |image: &Buffer, weight: Option<&Buffer>| {
            FirstUnknown { image, weight }.run(device).unwrap().get(device).unwrap()
        };
        let mut samples = noise(70_000, 1);
        let image = device.upload_copy(&samples).unwrap();
        assert_eq!(first(&image, None), None);
        samples[5] = f32::NAN;
        samples[60_001] = f32::INFINITY;
        samples[60_002] = f32::NAN;
        let image = device.upload_copy(&samples).unwrap();
        assert_eq!(first(&image, None), Some(5));
        let late: Vec<f32> = (0..70_000).map(|i| if i > 5 { 1.0 } else { 0.0 }).collect();
        let weight = device.upload(late).unwrap();
        assert_eq!(first(&image, Some(&weight)), Some(60_001));
    }
}
