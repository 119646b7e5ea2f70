//! Tests of the kernel on every device against its text for processors, and of that text against its definition.

use super::FlowRoughness;
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise};

/// The confidences that are left of 0.8 under a flow of a function of the position for each component.
fn left(device: &Device, size: [usize; 2], at: impl Fn(usize, [f32; 2]) -> f32) -> Vec<f32> {
    let [nx, ny] = size;
    let position = |i: usize| [i % nx, i / nx].map(|v| v as f32);
    let flow = (0..2 * nx * ny).map(|i| at(i / (nx * ny), position(i % (nx * ny)))).collect();
    let flow = &device.upload(flow).unwrap();
    let mut confidence = device.upload(vec![0.8; nx * ny]).unwrap();
    FlowRoughness { size, flow, confidence: &mut confidence }.run(device).unwrap();
    device.download(confidence).unwrap()
}

on_every_device! {
    fn confidences_of_every_size(device: &Device) {
        for size in [[70, 41], [32, 16], [17, 4], [3, 30], [1, 1]] {
            Pair::new(device).alike(&format!("{size:?}"), |device| {
                let n = size[0] * size[1];
                let mut flow = noise(2 * n, 1);
                for hole in (0..n).step_by(67) {
                    flow[hole] = f32::NAN;
                    flow[n + hole] = f32::NAN;
                }
                let flow = &device.upload(flow).unwrap();
                let confidence = noise(n, 60).iter().map(|v| v.abs().min(1.0)).collect();
                let mut confidence = device.upload(confidence).unwrap();
                FlowRoughness { size, flow, confidence: &mut confidence }.run(device).unwrap();
                vec![confidence]
            });
        }
    }

    fn cubic_motion_is_not_rough(device: &Device) {
        let cubic = |nth: usize, [x, y]: [f32; 2]| x * x * x / 512.0 - x * y / 8.0 + nth as f32 * y * y / 16.0;
        assert!(left(device, [40, 24], cubic).iter().all(|c| (c - 0.8).abs() < 1e-5));
    }

    fn a_jump_of_the_motion_lowers_the_confidence_beside_it(device: &Device) {
        let jump = |nth: usize, [x, _]: [f32; 2]| if nth == 0 && x >= 20.0 { 1.0 } else { 0.0 };
        let left = left(device, [60, 24], jump);
        let row = &left[12 * 60..][..60];
        // Samples 12 to 28: one of them lies beyond the jump, (−4 + 1)² / 70 over two axes, and 1/c grows by four times that.
        let beside = 1.0 / (1.0 / 0.8 + 4.0 * 9.0 / 140.0);
        assert!((row[19] - beside).abs() < 1e-6, "{}", row[19]);
        assert!(row[2] == 0.8 && row[50] == 0.8);
    }

    fn an_unknown_sample_counts_as_half_a_pixel(device: &Device) {
        let hole = |_: usize, [x, y]: [f32; 2]| if x == 20.0 && y == 12.0 { f32::NAN } else { 0.5 };
        let left = left(device, [60, 24], hole);
        let beside = 1.0 / (1.0 / 0.8 + 0.5);
        assert!((left[12 * 60 + 24] - beside).abs() < 1e-6);
        assert!(left[13 * 60 + 24] == 0.8);
    }
}
