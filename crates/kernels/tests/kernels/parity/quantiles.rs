use super::*;
use veloxel_kernels::image::quantiles::{Samples, first_unknown, quantiles};
use veloxel_testkit::on_every_device;

on_every_device! {
    fn order_statistics_are_exact(device: &Device) {
        let cpu = Device::cpu(1).unwrap();
        for (n, step) in [(1, 1), (5, 2), (1000, 1), (100_001, 7)] {
            let found = |device: &Device, weighted: bool| {
                let image = noise_buffer(device, n, 3);
                let weight = weighted.then(|| noise_buffer(device, n, 4));
                let samples = Samples { image: &image, weight: weight.as_ref(), step };
                [[0, 1000], [5, 995], [500, 250]]
                    .map(|shares| quantiles(device, samples, shares).unwrap().get(device).unwrap())
            };
            for weighted in [false, true] {
                assert_eq!(found(device, weighted), found(&cpu, weighted), "{n} samples, every {step}");
            }
        }
    }

    fn nothing_has_no_order(device: &Device) {
        let image = noise_buffer(device, 100, 3);
        let nowhere = device.zeros(100).unwrap();
        let samples = Samples { image: &image, weight: Some(&nowhere), step: 1 };
        assert_eq!(quantiles(device, samples, [0, 1000]).unwrap().get(device).unwrap(), None);
    }

    fn the_first_unknown_is_named(device: &Device) {
        let mut samples = noise(70_000, 1);
        let image = device.upload_copy(&samples).unwrap();
        assert_eq!(first_unknown(device, &image, None).unwrap().get(device).unwrap(), None);
        samples[5] = f32::NAN;
        samples[60_001] = f32::INFINITY;
        samples[60_002] = f32::NAN;
        let image = device.upload_copy(&samples).unwrap();
        assert_eq!(first_unknown(device, &image, None).unwrap().get(device).unwrap(), Some(5));
        let late: Vec<f32> = (0..70_000).map(|i| if i > 5 { 1.0 } else { 0.0 }).collect();
        let weight = device.upload(late).unwrap();
        assert_eq!(first_unknown(device, &image, Some(&weight)).unwrap().get(device).unwrap(), Some(60_001));
    }
}
