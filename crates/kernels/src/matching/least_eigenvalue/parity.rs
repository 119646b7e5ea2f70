//! Tests of the kernel on every device against its text for processors, and of that text against known eigenvalues.

use super::{LeastEigenvalue, MaskedWindows};
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, noise_field, shapes};

/// The displacement and the confidence.
fn weighed(device: &Device, shape: Shape, tensor: &Field, weight_sum: Option<&Buffer>) -> Vec<Buffer> {
    let mut displacement = noise_field(device, shape.components(), shape.len(), 40);
    let mut confidence = device.upload(vec![1.0; shape.len()]).unwrap();
    let kernel = LeastEigenvalue {
        shape,
        half: 0.25,
        tensor,
        windows: weight_sum.map(|weight_sum| MaskedWindows { weight_sum, displacement: &mut displacement }),
        confidence: &mut confidence,
    };
    kernel.run(device).unwrap();
    displacement.push(confidence);
    displacement
}

on_every_device! {
    fn entries_of_noise(device: &Device) {
        for shape in shapes() {
            for is_weighted in [false, true] {
                Pair::new(device).alike(&format!("{:?}, weighted {is_weighted}", shape.size), |device| {
                    let tensor = noise_field(device, shape.tensor_entries(), shape.len(), 1);
                    let weight_sum = is_weighted.then(|| noise_buffer(device, shape.len(), 2));
                    weighed(device, shape, &tensor, weight_sum.as_ref())
                });
            }
        }
    }

    fn known_eigenvalues_are_found(device: &Device) {
        // Rotations of a diagonal: entries 11, 12, 22 and 11, 12, 13, 22, 23, 33.
        let (c, s) = (0.8f32, 0.6f32);
        let cases: [(Dimension, f32, Vec<f32>); 4] = [
            (Dimension::Two, 0.5, vec![2.0 * c * c + 0.5 * s * s, 1.5 * c * s, 2.0 * s * s + 0.5 * c * c]),
            (Dimension::Two, 0.0, vec![c * c, c * s, s * s]),
            (Dimension::Three, 0.3, vec![c * c + 0.3 * s * s, 0.7 * c * s, 0.0, s * s + 0.3 * c * c, 0.0, 2.0]),
            (Dimension::Three, 1.0, vec![1.0, 0.0, 0.0, 1.0, 0.0, 1.0]),
        ];
        for (dimension, least, entries) in cases {
            let shape = Shape { size: [9, 5, 1], dimension };
            let upload = |value: &f32| device.upload(vec![*value; shape.len()]).unwrap();
            let tensor: Field = entries.iter().map(upload).collect();
            let confidence = weighed(device, shape, &tensor, None).pop().unwrap();
            let expected = least / (least + 0.25);
            for got in device.download(confidence).unwrap() {
                assert!((got - expected).abs() < 0.01, "{dimension:?}, {least}: {got} instead of {expected}");
            }
        }
    }

    fn without_weight_nothing_is_known(device: &Device) {
        let shape = Shape { size: [9, 5, 1], dimension: Dimension::Two };
        let tensor = device.zeros_field(3, shape.len()).unwrap();
        let weight: Vec<f32> = noise(shape.len(), 4).iter().map(|&v| if v > 0.0 { v } else { 0.0 }).collect();
        let weight_sum = device.upload(weight.clone()).unwrap();
        let found = weighed(device, shape, &tensor, Some(&weight_sum));
        let found: Vec<Vec<f32>> = found.into_iter().map(|b| device.download(b).unwrap()).collect();
        for (i, weight) in weight.iter().enumerate() {
            assert_eq!([found[0][i].is_nan(), found[1][i].is_nan()], [*weight == 0.0; 2]);
            assert_eq!(found[2][i], 0.0);
        }
    }
}
