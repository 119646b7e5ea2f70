//! Tests of the kernel on every device against its text for processors, and of that text against its contract.

use super::{Bilateral, BilateralField};
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, shapes};

const WINDOW: Bilateral =
    Bilateral { radius: 2, sigma_vox: 1.5, sigma_guide: 0.5, fill_from: 0.2, fill_share: 0.25 };

on_every_device! {
    fn refined_and_filled(device: &Device) {
        for shape in shapes() {
            for masked in [false, true] {
                Pair::new(device).alike(&format!("{:?} {masked}", shape.size), |device| {
                    let (n, d) = (shape.len(), shape.components());
                    let component = |c: usize| {
                        let mut samples = noise(n, c as u64);
                        samples.iter_mut().step_by(5).for_each(|v| *v = f32::NAN);
                        device.upload(samples).unwrap()
                    };
                    let field: Vec<_> = (0..d).map(component).collect();
                    let confidence = device.upload(noise(n, 7).iter().map(|v| v.abs()).collect()).unwrap();
                    let guide = device.upload(noise(n, 8)).unwrap();
                    let weight = device.upload((0..n).map(|i| (i % 3) as f32).collect()).unwrap();
                    let mut out = device.zeros_field(d, n).unwrap();
                    let mut out_confidence = device.zeros(n).unwrap();
                    let kernel = BilateralField {
                        shape,
                        window: WINDOW,
                        field: &field,
                        confidence: &confidence,
                        guide: &guide,
                        weight: masked.then_some(&weight),
                        out: &mut out,
                        out_confidence: &mut out_confidence,
                    };
                    kernel.run(device).unwrap();
                    out.push(out_confidence);
                    out
                });
            }
        }
    }
}

/// Two halves that move apart, an outlier without confidence and a hole in each: the halves stay apart, outliers go, holes
/// among certain vectors are filled and those among uncertain ones are not.
#[test]
fn outliers_go_and_edges_stay() {
    let device = Device::cpu(1).unwrap();
    let shape = Shape { size: [20, 12, 1], dimension: Dimension::Two };
    let n = shape.len();
    let is_right = |i: usize| i % 20 >= 10;
    let guide = device.upload((0..n).map(|i| if is_right(i) { 5.0 } else { 0.0 }).collect()).unwrap();
    let [outlier, hole, lonely] = [5 * 20 + 4, 6 * 20 + 5, 6 * 20 + 15];
    let value = |i: usize| match i {
        _ if i == outlier => 50.0,
        _ if i == hole || i == lonely => f32::NAN,
        _ if is_right(i) => -1.0,
        _ => 1.0,
    };
    let x = device.upload((0..n).map(value).collect()).unwrap();
    let y = device.upload((0..n).map(|i| if value(i).is_nan() { f32::NAN } else { 0.0 }).collect()).unwrap();
    let certain = |i: usize| {
        if i == outlier {
            0.0
        } else if is_right(i) {
            0.05
        } else {
            0.9
        }
    };
    let confidence = device.upload((0..n).map(certain).collect()).unwrap();
    let mut out = device.zeros_field(2, n).unwrap();
    let mut out_confidence = device.zeros(n).unwrap();
    let kernel = BilateralField {
        shape,
        window: WINDOW,
        field: &[x, y],
        confidence: &confidence,
        guide: &guide,
        weight: None,
        out: &mut out,
        out_confidence: &mut out_confidence,
    };
    kernel.run(&device).unwrap();
    let (x, c) = (out[0].host(), out_confidence.host());
    for i in (0..n).filter(|&i| i != lonely) {
        let expected = if is_right(i) { -1.0 } else { 1.0 };
        assert!((x[i] - expected).abs() < 0.2, "pixel {i}: {}", x[i]);
    }
    assert!(x[lonely].is_nan() && c[lonely] == 0.0);
    assert!(c[hole] > 0.1 && c[hole] < 0.25, "{}", c[hole]);
}
