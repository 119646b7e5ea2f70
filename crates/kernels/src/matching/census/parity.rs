//! The kernel on every device against its text for processors.

use super::Census;
use crate::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{noise_buffer, shapes};

on_every_device! {
    fn codes_of_noise(device: &Device) {
        for shape in shapes() {
            let codes = |device: &Device| {
                let mut codes = device.zeros::<u32>(shape.len() + 5).unwrap();
                let image = noise_buffer(device, shape.len(), 3);
                Census { shape, threshold: 0.01, image: &image, start: 5, codes: &mut codes }.run(device).unwrap();
                device.download(codes).unwrap()
            };
            let expected = codes(&Device::cpu(1).unwrap());
            assert!(expected[..5] == [0; 5] && (shape.len() < 9 || expected[5..].iter().any(|&code| code != 0)));
            assert_eq!(codes(device), expected, "{:?}", shape.size);
        }
    }
}
