//! Tests of the kernel on every device against its text for processors.

use super::ConfirmedDisparity;
use crate::kernel::Kernel;
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::noise_buffer;

fn confirmed(device: &Device, size: [usize; 2], found: &[f32], phases: Option<&[f32]>) -> [Vec<f32>; 2] {
    let n = size[0] * size[1];
    let found = device.upload(found.to_vec()).unwrap();
    let phases = phases.map(|phases| device.upload(phases.to_vec()).unwrap());
    let mut planes: Vec<Buffer> = [2 * n, n, n].map(|len| device.zeros(len).unwrap()).into();
    let [owners, out, confidence] = planes.get_disjoint_mut([0, 1, 2]).unwrap();
    ConfirmedDisparity {
        size,
        tolerance_px: 1.0,
        found: &found,
        phases: phases.as_ref(),
        owners,
        out,
        confidence,
    }
    .run(device)
    .unwrap();
    let mut results = planes.into_iter().skip(1).map(|plane| device.download(plane).unwrap());
    [results.next().unwrap(), results.next().unwrap()]
}

on_every_device! {
    fn the_cheapest_has_the_match(device: &Device) {
        let whole = [0.0, 0.0, 2.0, 5.0];
        let between = [0.25, 0.0, 0.0, 0.0];
        let (cost, lead) = ([9.0, 3.0, 4.0, 0.0], [0.0, 20.0, 20.0, 20.0]);
        let found = [whole, between, cost, lead].concat();
        let [out, confidence] = confirmed(device, [4, 1], &found, None);
        // The first and the third lead to one pixel, which the third has; the last leads out.
        assert!(out[0].is_nan() && out[3].is_nan());
        assert_eq!((out[1], out[2]), (0.0, 2.0));
        assert_eq!(confidence, [0.0, 0.8, 0.8, 0.0]);
        let [out, _] = confirmed(device, [4, 1], &found, Some(&[0.0, 0.5, 3.5, 5.0]));
        assert_eq!((out[1], out[2]), (0.5, 2.0), "phases count where they are near");
        let [out, confidence] = confirmed(device, [4, 1], &found, Some(&[f32::NAN; 4]));
        assert!(out.iter().all(|d| d.is_nan()) && confidence == [0.0; 4], "a row without texture");
    }

    fn disparities_of_noise(device: &Device) {
        let cpu = Device::cpu(1).unwrap();
        for size in [[1, 1], [37, 5], [70, 41]] {
            let n: usize = size[0] * size[1];
            let noise = |len, seed| cpu.download(noise_buffer(&cpu, len, seed)).unwrap();
            let mut found = noise(4 * n, 1);
            found[..n].iter_mut().for_each(|d| *d = (*d * 9.0).floor());
            found[2 * n..].iter_mut().for_each(|c| *c = (*c * 99.0).floor());
            let phases: Vec<_> = noise(n, 2).iter().map(|v| if *v < 0.1 { f32::NAN } else { 9.0 * v }).collect();
            for phases in [None, Some(&phases[..])] {
                let [own, expected] = [device, &cpu].map(|d| confirmed(d, size, &found, phases));
                let bits = |planes: &[Vec<f32>; 2]| planes.concat().iter().map(|v| if v.is_nan() { 1 } else { v.to_bits() }).collect::<Vec<_>>();
                assert_eq!(bits(&own), bits(&expected), "{size:?}");
            }
        }
    }
}
