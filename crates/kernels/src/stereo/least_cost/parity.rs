//! Tests of the kernel on every device against its text for processors.

use super::{LeastCost, PLANES};
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::noise_buffer;

fn found(device: &Device, size: [usize; 2], count: usize, costs: Vec<u16>, base: Vec<f32>) -> Vec<f32> {
    let (sums, base) = (device.upload(costs).unwrap(), device.upload(base).unwrap());
    let mut out = device.zeros(PLANES * size[0] * size[1]).unwrap();
    LeastCost { size, count, sums: &sums, base: &base, out: &mut out }.run(device).unwrap();
    device.download(out).unwrap()
}

on_every_device! {
    fn least_costs_by_hand(device: &Device) {
        let costs = vec![9, 3, 5, 3, 4, 8, 9, 9];
        let out = found(device, [2, 1], 4, costs, vec![-2.0, 10.0]);
        // Of two equal ones the first; beside it 9 and 5. The other pixel's lies at the end of its band.
        assert_eq!(out, [-1.0, 10.0, 0.25, 0.0, 3.0, 4.0, 0.0, 5.0]);
    }

    fn least_costs_of_noise(device: &Device) {
        let cpu = Device::cpu(1).unwrap();
        for (size, count) in [([1, 1], 2), ([37, 5], 16), ([9, 30], 34)] {
            let n = size[0] * size[1];
            let noise = |len, seed| cpu.download(noise_buffer(&cpu, len, seed)).unwrap();
            let costs: Vec<_> = noise(count * n, 1).iter().map(|v| (v.abs() * 300.0) as u16).collect();
            let base: Vec<_> = noise(n, 2).iter().map(|v| (v * 40.0).floor()).collect();
            let [own, expected] = [device, &cpu].map(|d| found(d, size, count, costs.clone(), base.clone()));
            assert_eq!(own, expected, "{size:?}");
        }
    }
}
