//! Tests of the kernel on every device against its text for processors, and of that text against the equations.

use super::LocalSolve;
use crate::kernel::Kernel;
use veloxel_core::Shape;
use veloxel_gpu::{Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_field, shapes};

fn solved(device: &Device, shape: Shape, ridge: f32, tensor: &Field) -> Field {
    let mut increment = noise_field(device, shape.components(), shape.len(), 40);
    LocalSolve { shape, ridge, tensor, increment: &mut increment }.run(device).unwrap();
    increment
}

on_every_device! {
    fn equations_of_noise(device: &Device) {
        for shape in shapes() {
            for ridge in [0.0, 0.5, 3.0] {
                Pair::new(device).alike(&format!("{:?}, {ridge}", shape.size), |device| {
                    let entries = shape.tensor_entries() + shape.components();
                    solved(device, shape, ridge, &noise_field(device, entries, shape.len(), 1))
                });
            }
        }
    }

    fn the_solution_fulfils_the_equations(device: &Device) {
        for shape in shapes() {
            let (d, n) = (shape.components(), shape.len());
            let entries = shape.tensor_entries() + d;
            let tensor = noise_field(device, entries, n, 7);
            // Noise lies in −1..1: with 4 on the diagonal it is positive definite.
            let increment = solved(device, shape, 4.0, &tensor);
            let tensor: Vec<Vec<f32>> = tensor.into_iter().map(|b| device.download(b).unwrap()).collect();
            let increment: Vec<Vec<f32>> = increment.into_iter().map(|b| device.download(b).unwrap()).collect();
            let entry = |r: usize, c: usize| (r.min(c) * (2 * d + 1 - r.min(c))) / 2 + r.abs_diff(c);
            for i in 0..n {
                for r in 0..d {
                    let product: f32 = (0..d).map(|c| {
                        (tensor[entry(r, c)][i] + if r == c { 4.0 } else { 0.0 }) * increment[c][i]
                    }).sum();
                    let wanted = tensor[shape.tensor_entries() + r][i];
                    assert!((product - wanted).abs() < 1e-4, "{:?}: {product} instead of {wanted}", shape.size);
                }
            }
        }
    }

    fn without_contrast_nothing_moves(device: &Device) {
        for shape in shapes() {
            let entries = shape.tensor_entries() + shape.components();
            let tensor = device.zeros_field(entries, shape.len()).unwrap();
            for ridge in [0.0, 0.1] {
                for component in solved(device, shape, ridge, &tensor) {
                    assert!(device.download(component).unwrap().iter().all(|&v| v == 0.0));
                }
            }
        }
    }
}
