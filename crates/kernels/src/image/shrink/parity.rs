//! Tests of the kernel on every device against the kernels that it is made of.

use super::{AffineMap, Shrink, is_supported};
use crate::kernel::Kernel;
use crate::shared::taps::Taps;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_field};

const MAPS: [AffineMap; 2] = [AffineMap { gain: 1.3, offset: 0.2 }, AffineMap { gain: 0.7, offset: -0.4 }];

fn picture(nx: usize, ny: usize) -> Shape {
    Shape { size: [nx, ny, 1], dimension: Dimension::Two }
}

/// Compares for images of noise, with and without maps; filters with these standard deviations.
fn check(device: &Device, from: Shape, to: Shape, sigmas: [f64; 2]) {
    let taps = &[sigmas[0], sigmas[1], 0.0].map(|sigma| Taps::gaussian(sigma, 3.0));
    assert!(is_supported(from, to, taps), "{from:?} to {to:?}");
    for (count, is_mapped) in [(1, false), (2, false), (2, true)] {
        let what = format!("{count} of {:?} to {:?}, mapped {is_mapped}", from.size, to.size);
        Pair::new(device).alike(&what, |device| {
            let mut samples = [noise(from.len(), 1), noise(from.len(), 2)];
            if is_mapped {
                samples.iter_mut().for_each(|samples| samples[2] = f32::NAN);
            }
            let images: Vec<_> = samples.into_iter().map(|samples| device.upload(samples).unwrap()).collect();
            let images: Vec<_> = images.iter().take(count).collect();
            let maps = if is_mapped { &MAPS[..count] } else { &[] };
            let mut out = noise_field(device, count, to.len(), 4);
            let mut memory = noise_field(device, if device.is_gpu() { 0 } else { 2 }, from.len(), 20);
            Shrink { images: &images, maps, taps, from, out: &mut out, to, memory: &mut memory }
                .run(device)
                .unwrap();
            out
        });
    }
}

on_every_device! {
    fn pictures_shrink(device: &Device) {
        for (from, to) in [
            (picture(64, 40), picture(32, 20)),
            (picture(61, 37), picture(31, 19)),
            (picture(70, 50), picture(28, 20)),
            (picture(40, 33), picture(37, 30)),
            (picture(50, 4), picture(25, 4)),
            (picture(3, 1), picture(2, 1)),
        ] {
            check(device, from, to, [1.04, 1.04]);
            check(device, from, to, [0.0, 1.3]);
        }
    }

    fn pictures_are_smoothed_on_their_own_grid(device: &Device) {
        for sigmas in [[0.6, 0.6], [0.0, 0.0], [2.5, 1.0]] {
            check(device, picture(37, 50), picture(37, 50), sigmas);
        }
    }
}

#[test]
fn only_pictures_that_fit_are_taken() {
    let taps = |sigma: f64| [sigma, sigma, 0.0].map(|sigma| Taps::gaussian(sigma, 3.0));
    assert!(is_supported(picture(640, 480), picture(320, 240), &taps(1.04)));
    assert!(!is_supported(picture(640, 480), picture(100, 80), &taps(1.04)));
    assert!(!is_supported(picture(32, 24), picture(64, 48), &taps(0.0)));
    let volume = |n: usize| Shape { size: [n; 3], dimension: Dimension::Three };
    assert!(!is_supported(volume(20), volume(10), &taps(1.0)));
}
