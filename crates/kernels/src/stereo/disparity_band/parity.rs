//! Tests of the kernel on every device against its text for processors.

use super::DisparityBand;
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::noise_buffer;

/// Bands around disparities.
fn bands(device: &Device, size: [usize; 2], coarser: Vec<f32>) -> Vec<f32> {
    let coarser = device.upload(coarser).unwrap();
    let mut base = device.zeros(size[0] * size[1]).unwrap();
    DisparityBand { size, count: 16, coarser: &coarser, base: &mut base }.run(device).unwrap();
    device.download(base).unwrap()
}

on_every_device! {
    fn bands_hold_both_sides_of_an_edge(device: &Device) {
        // 3 and 6 are 6 and 12 pixels here: their middle is 9. The band of a pixel far from the edge has its own in the middle.
        let found = bands(device, [10, 1], vec![3.0, 3.0, 3.0, 6.0, 6.0]);
        assert_eq!(found, [-2.0, -2.0, -2.0, -2.0, 1.0, 1.0, 1.0, 1.0, 4.0, 4.0]);
        // Too far apart for both: the middle is 4 from the pixel's own, which stays inside.
        assert_eq!(bands(device, [4, 1], vec![0.0, 50.0]), [-4.0, -4.0, 88.0, 88.0]);
        assert_eq!(bands(device, [4, 1], vec![f32::NAN, 50.0]), [92.0; 4]);
        assert_eq!(bands(device, [3, 1], vec![f32::NAN; 2]), [-8.0; 3]);
    }

    fn bands_of_noise(device: &Device) {
        let cpu = Device::cpu(1).unwrap();
        for size in [[1, 1], [33, 7], [70, 41]] {
            let n = size.map(|n: usize| n.div_ceil(2)).iter().product();
            let mut coarser = cpu.download(noise_buffer(&cpu, n, 4)).unwrap();
            coarser.iter_mut().for_each(|d| *d = if *d > 0.9 { f32::NAN } else { 30.0 * *d - 10.0 });
            assert_eq!(bands(device, size, coarser.clone()), bands(&cpu, size, coarser), "{size:?}");
        }
    }
}
