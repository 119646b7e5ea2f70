//! Tests of the kernel on every device against its text for processors.

use super::{Before, Direction, OUTSIDE, PathCosts, Penalties};
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::noise_buffer;

const PENALTIES: Penalties = Penalties { small: 8, least: 12, great: 40, edge: 0.1 };

/// Pictures by their codes, and bands.
struct Pair {
    size: [usize; 2],
    count: usize,
    codes: Vec<u32>,
    base: Vec<f32>,
}

impl Pair {
    /// Sums over these directions, one after the other.
    fn sums(&self, device: &Device, directions: &[Direction], image: Vec<f32>) -> Vec<u16> {
        let codes = device.upload(self.codes.clone()).unwrap();
        let (base, image) = (device.upload(self.base.clone()).unwrap(), device.upload(image).unwrap());
        let mut sums = device.upload(vec![77u16; self.count * self.base.len()]).unwrap();
        for (nth, &direction) in directions.iter().enumerate() {
            let before = if nth == 0 { Before::Nothing } else { Before::Sums };
            let (size, count, penalties) = (self.size, self.count, PENALTIES);
            let (codes, base, image, sums) = (&codes, &base, &image, &mut sums);
            PathCosts { size, count, direction, penalties, codes, base, image, before, sums }
                .run(device)
                .unwrap();
        }
        device.download(sums).unwrap()
    }
}

on_every_device! {
    fn a_path_by_hand(device: &Device) {
        // Three pixels with disparities 0 and 1; the codes differ in no bit, or in four.
        let codes = vec![0, 15, 0, 0, 0, 15];
        let pair = Pair { size: [3, 1], count: 2, codes, base: vec![0.0; 3] };
        let found = pair.sums(device, &[Direction::Right], vec![0.0; 3]);
        // From (0, 16): the second costs 4 and 4 more than its way, of which the cheaper ones are 0 and 8.
        assert_eq!(found, [0, OUTSIDE, 4, 4 + 8, 4, 8]);
        let back = pair.sums(device, &[Direction::Left], vec![0.0; 3]);
        assert_eq!(back, [4, OUTSIDE, 8, 4, 4, 0]);
        let both = pair.sums(device, &[Direction::Right, Direction::Left], vec![0.0; 3]);
        assert!(both.iter().zip(found.iter().zip(&back)).all(|(sum, (one, other))| *sum == one + other));
    }

    fn sums_of_noise(device: &Device) {
        let cpu = Device::cpu(1).unwrap();
        for (size, count) in [([1, 1], 2), ([37, 5], 16), ([9, 30], 32), ([70, 3], 138)] {
            let n = size[0] * size[1];
            let noise = |len, seed| cpu.download(noise_buffer(&cpu, len, seed)).unwrap();
            let codes = noise(2 * n, 1).iter().map(|v| (v.abs() * 1e7) as u32 & 0xff_ffff).collect();
            // Bands beside each other, and some that do not touch.
            let base = noise(n, 2).iter().map(|v| (v * 40.0 - 20.0).floor()).collect();
            let pair = Pair { size, count, codes, base };
            let (found, expected) = [device, &cpu].map(|d| pair.sums(d, &Direction::ALL, noise(n, 3))).into();
            assert_eq!(found, expected, "{size:?}");
        }
    }
}
