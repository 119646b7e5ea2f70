//! Tests of the kernel on every device against its text for processors, and of that text against its definition.

use super::ExpectedError;
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_field, shapes};

/// A tensor that is the same everywhere, with tt last: its diagonal, its other entries, tt.
fn uniform_tensor(device: &Device, shape: Shape, [diagonal, beside, tt]: [f32; 3]) -> Field {
    let (d, entries) = (shape.components(), shape.tensor_entries());
    let is_diagonal = |c: usize| (0..d).any(|axis| axis * (2 * d + 1 - axis) / 2 == c);
    (0..entries)
        .map(|c| if is_diagonal(c) { diagonal } else { beside })
        .chain([tt])
        .map(|value| device.upload(vec![value; shape.len()]).unwrap())
        .collect()
}

/// The squared error e² of a field, with a step of two edges and ten voxels pooled.
fn expected(device: &Device, shape: Shape, displacement: &Field, tensor: &Field) -> Vec<f32> {
    let mut out = device.zeros(shape.len()).unwrap();
    let (tt, tensor) = tensor.split_last().unwrap();
    let kernel = ExpectedError {
        shape,
        spacing_edges: [1.0, 1.0, 2.0],
        step_edges: 2.0,
        determinacy: 0.5,
        pooled: 10.0,
        displacement,
        tensor,
        tt,
        outside_edges: 1.5,
        warped_to_error: &mut out,
    };
    kernel.run(device).unwrap();
    device.download(out).unwrap()
}

/// A field of one function of the position for every component.
fn field_of(device: &Device, shape: Shape, at: impl Fn([f32; 3]) -> f32) -> Field {
    let [nx, ny, _] = shape.size;
    let position = |i: usize| [i % nx, i / nx % ny, i / nx / ny].map(|v| v as f32);
    let samples: Vec<f32> = (0..shape.len()).map(|i| at(position(i))).collect();
    (0..shape.components()).map(|_| device.upload(samples.clone()).unwrap()).collect()
}

const SHAPES: [Shape; 2] = [
    Shape { size: [20, 14, 1], dimension: Dimension::Two },
    Shape { size: [14, 12, 11], dimension: Dimension::Three },
];

on_every_device! {
    fn expected_errors(device: &Device) {
        for shape in shapes() {
            for spacing_edges in [[1.0; 3], [1.0, 1.25, 2.0]] {
                Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                    let (n, d) = (shape.len(), shape.components());
                    let displacement = noise_field(device, d, n, 1);
                    // Noise is no positive matrix: the determinant may have any sign.
                    let tensor = noise_field(device, shape.tensor_entries() + 1, n, 9);
                    let mut warped = noise(n, 60);
                    warped.iter_mut().step_by(7).for_each(|v| *v = f32::NAN);
                    let mut out = device.upload(warped).unwrap();
                    let (displacement, (tt, tensor)) = (&displacement, tensor.split_last().unwrap());
                    ExpectedError {
                        shape, spacing_edges, step_edges: 4.0, determinacy: 0.1, pooled: 30.0, displacement, tensor,
                        tt, outside_edges: 1.5, warped_to_error: &mut out,
                    }
                    .run(device)
                    .unwrap();
                    vec![out]
                });
            }
        }
    }

    fn cubic_motion_is_not_rough_and_the_border_is_no_exception(device: &Device) {
        for shape in SHAPES {
            let tensor = uniform_tensor(device, shape, [1.0, 0.0, 0.0]);
            let cubic = |[x, y, z]: [f32; 3]| x * x * x / 64.0 - x * y + y * y * y / 32.0 + 3.0 * z + z * z * z / 16.0;
            let field = field_of(device, shape, cubic);
            let most = expected(device, shape, &field, &tensor).into_iter().fold(0.0, f32::max);
            assert!(most < 1e-6, "{:?}: {most}", shape.size);
        }
    }

    fn variance_grows_with_the_mismatch_and_with_what_the_data_leave_open(device: &Device) {
        for shape in SHAPES {
            let still = field_of(device, shape, |_| 0.25);
            let all_equal = |tensor: [f32; 3], what: f32| {
                let tensor = uniform_tensor(device, shape, tensor);
                for e in expected(device, shape, &still, &tensor) {
                    assert!((e - what).abs() <= 1e-6 * what, "{:?}: {e} instead of {what}", shape.size);
                }
            };
            // s² d / (λ + α') / N, and no more than s² d / α' / N.
            let d = shape.components() as f32;
            all_equal([1.5, 0.0, 0.2], 0.2 * d / 2.0 / 10.0);
            all_equal([0.0, 0.0, 0.2], 0.2 * d / 0.5 / 10.0);
            all_equal([1.5, 0.0, 0.0], 0.0);
        }
    }

    fn independent_errors_have_their_mean_square(device: &Device) {
        let shape = Shape { size: [64, 64, 1], dimension: Dimension::Two };
        let field = noise_field(device, 2, shape.len(), 3);
        let tensor = uniform_tensor(device, shape, [1.0, 0.0, 0.0]);
        let errors = expected(device, shape, &field, &tensor);
        let mean = errors.iter().sum::<f32>() / errors.len() as f32;
        // Two components, each of variance 1/3.
        assert!((mean - 2.0 / 3.0).abs() < 0.05, "{mean}");
    }

    fn flips_commute(device: &Device) {
        for shape in SHAPES {
            let (n, d) = (shape.len(), shape.components());
            let field: Vec<Vec<f32>> = (0..d as u64).map(|c| noise(n, c)).collect();
            let tensor: Vec<Vec<f32>> = (0..=shape.tensor_entries() as u64).map(|c| noise(n, 20 + c)).collect();
            // The last sample first: a flip along every axis.
            let flipped = |samples: &[Vec<f32>]| {
                let flip = |s: &Vec<f32>| s.iter().rev().copied().collect();
                samples.iter().map(flip).collect::<Vec<Vec<f32>>>()
            };
            let upload = |samples: Vec<Vec<f32>>| -> Field {
                samples.into_iter().map(|s| device.upload(s).unwrap()).collect()
            };
            let mirrored = expected(device, shape, &upload(flipped(&field)), &upload(flipped(&tensor)));
            let plain = expected(device, shape, &upload(field), &upload(tensor));
            assert!(plain.iter().eq(mirrored.iter().rev()), "{:?}", shape.size);
        }
    }
}
