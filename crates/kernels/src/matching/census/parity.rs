//! Tests of the kernel on every device against its text for processors.

use super::{BEYOND, Census};
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{noise_buffer, shapes};

on_every_device! {
    fn codes_of_noise(device: &Device) {
        for (shape, margin) in shapes().into_iter().flat_map(|shape| [(shape, 0), (shape, 8)]) {
            let [nx, ny, nz] = shape.size;
            let codes = |device: &Device| {
                let count = (nx + 2 * margin) * (ny + 2 * margin) * nz;
                let mut codes = device.zeros::<u32>(count + 5).unwrap();
                let image = noise_buffer(device, shape.len(), 3);
                Census { shape, threshold: 0.01, image: &image, start: 5, margin, codes: &mut codes }
                    .run(device)
                    .unwrap();
                device.download(codes).unwrap()
            };
            let expected = codes(&Device::cpu(1).unwrap());
            assert!(expected[..5] == [0; 5] && (shape.len() < 9 || expected[5..].iter().any(|&code| code != 0 && code != BEYOND)));
            let beyond = expected[5..].iter().filter(|&&code| code == BEYOND).count();
            assert!(nz > 1 || beyond == expected.len() - 5 - shape.len());
            assert_eq!(codes(device), expected, "{:?}", shape.size);
        }
    }
}
