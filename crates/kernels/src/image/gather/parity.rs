//! Tests of the kernel on every device.

use super::{Gather, Places};
use crate::kernel::Kernel;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::noise;

on_every_device! {
    fn samples_come_as_they_are(device: &Device) {
        let mut samples = noise(1000, 3);
        (samples[0], samples[999]) = (f32::NAN, f32::INFINITY);
        let image = device.upload(samples.clone()).unwrap();
        for indices in [vec![0], vec![999, 0, 500, 500], (0..700).map(|i| i * 997 % 1000).collect()] {
            let expected: Vec<f32> = indices.iter().map(|i: &u32| samples[*i as usize]).collect();
            let (mut out, indices) = (device.zeros(indices.len()).unwrap(), device.upload(indices).unwrap());
            Gather { image: &image, places: Places::Listed(&indices), out: &mut out }.run(device).unwrap();
            let found: Vec<f32> = device.download(out).unwrap();
            assert!(found.iter().zip(&expected).all(|(a, b)| a == b || a.is_nan() && b.is_nan()));
            assert_eq!(found.len(), expected.len());
        }
        for step in [1, 7, 999, 2000] {
            let (places, expected) = (Places::Every(step), samples.iter().step_by(step));
            let mut out = device.zeros(places.count(1000)).unwrap();
            Gather { image: &image, places, out: &mut out }.run(device).unwrap();
            let found: Vec<f32> = device.download(out).unwrap();
            assert_eq!(found.len(), expected.len());
            assert!(found.iter().zip(expected).all(|(a, b)| a == b || a.is_nan() && b.is_nan()));
        }
    }
}
