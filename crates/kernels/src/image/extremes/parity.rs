//! Tests of the kernel on every device.

use super::{Extremes, FindExtremes};
use crate::kernel::Kernel;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::noise;

on_every_device! {
    fn extremes_are_those_of_the_finite_samples(device: &Device) {
        let found = |samples: &[f32]| {
            let image = device.upload_copy(samples).unwrap();
            FindExtremes { image: &image }.run(device).unwrap().get(device).unwrap()
        };
        for count in [1, 255, 4096, 300_001] {
            let mut samples = noise(count, 5);
            samples[count / 2] = -7e20;
            samples[count - 1] = 9.0;
            let expected = Extremes { least: samples.iter().copied().fold(9.0, f32::min), greatest: 9.0, are_finite: true };
            assert_eq!(found(&samples), expected);
            for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                samples[count / 3] = wrong;
                let finite = || samples.iter().copied().filter(|v| v.is_finite());
                let (least, greatest) = (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max));
                assert_eq!(found(&samples), Extremes { least, greatest, are_finite: false });
            }
        }
    }
}
