//! Tests of the kernel on every device against its text for processors, and of that text against its definition.

use super::Bend;
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_field, shapes};

on_every_device! {
    fn bends(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let displacement = &noise_field(device, shape.components(), shape.len(), 3);
                let mut error = device.upload(noise(shape.len(), 5)).unwrap();
                let spacing_edges = [1.0, 1.25, 2.0];
                Bend { shape, spacing_edges, weight: 0.7, displacement, error: &mut error }.run(device).unwrap();
                vec![error]
            });
        }
    }
}

#[test]
fn a_parabola_bends_alike_inside_and_a_ramp_nowhere() {
    let device = &Device::cpu(1).unwrap();
    let shape = Shape { size: [9, 8, 7], dimension: Dimension::Three };
    let field = |of: fn(f32) -> f32| -> Vec<Buffer> {
        let samples: Vec<f32> = (0..shape.len()).map(|i| of((i % 9) as f32)).collect();
        (0..3).map(|_| device.upload(samples.clone()).unwrap()).collect()
    };
    let inside = |displacement: &[Buffer]| {
        let mut error = device.zeros(shape.len()).unwrap();
        let spacing_edges = [2.0, 1.0, 1.0];
        Bend { shape, spacing_edges, weight: 0.5, displacement, error: &mut error }.run(device).unwrap();
        device.read(&error).unwrap()[4 + 9 * (4 + 8 * 3)]
    };
    assert_eq!(inside(&field(|x| 3.0 * x)), 0.0);
    // Δ = 2 a / spacing² = 1 for each component: 0.5 · 3 · 1².
    assert_eq!(inside(&field(|x| 2.0 * x * x)), 1.5);
}
