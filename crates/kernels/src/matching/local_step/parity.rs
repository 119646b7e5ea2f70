//! Tests of the kernel on every device against the kernels that it is made of.

use super::{CPU_BUFFERS, LocalStep, Terms, is_supported};
use crate::kernel::Kernel;
use crate::variational::motion_tensor::Constraint;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, assert_close, noise, noise_field};

const NORMALISED: [Constraint; 2] =
    [Constraint::Normalised { zeta: 0.3 }, Constraint::Normalised { zeta: 0.04 }];

/// The displacement after a step, and Σ |δ|.
fn stepped(device: &Device, size: [usize; 2], terms: Terms) -> (Vec<Buffer>, f64) {
    let shape = Shape { size: [size[0], size[1], 1], dimension: Dimension::Two };
    let n = shape.len();
    let image = |seed: u64| {
        let fine = noise(n, seed);
        let smooth = |i: usize| {
            (0.2 * (i % size[0]) as f32 + 0.1 * seed as f32).sin() + (0.15 * (i / size[0]) as f32).cos()
        };
        device.upload((0..n).map(|i| smooth(i) + 0.2 * fine[i]).collect()).unwrap()
    };
    let (fixed, moving) = (image(1), image(2));
    let displacement: Vec<Buffer> =
        (3..5).map(|seed| device.upload(noise(n, seed).iter().map(|v| 2.5 * v).collect()).unwrap()).collect();
    let mut out = noise_field(device, 2, n, 9);
    let mut memory = noise_field(device, if device.is_gpu() { 0 } else { CPU_BUFFERS }, n, 20);
    let step = LocalStep {
        shape,
        spacing_edges: [1.0, 1.25, 1.0],
        terms,
        fixed: &fixed,
        moving: &moving,
        displacement: &displacement,
        out: &mut out,
        memory: &mut memory,
    };
    let sum = step.run(device).unwrap().get(device).unwrap();
    (out, sum)
}

on_every_device! {
    fn steps_of_every_kind(device: &Device) {
        let cases = [
            ([64, 40], 3, NORMALISED, 2.0),
            ([37, 21], 3, NORMALISED, 2.0),
            ([33, 17], 2, NORMALISED, 0.7),
            ([70, 9], 1, NORMALISED, 0.0),
            ([45, 50], 3, [Constraint::Plain; 2], 0.0),
            ([5, 3], 3, [Constraint::Plain; 2], 1.0),
            ([2, 2], 1, NORMALISED, 2.0),
            // Larger tiles.
            ([221, 170], 3, NORMALISED, 2.0),
            ([415, 317], 3, NORMALISED, 2.0),
            ([415, 317], 2, [Constraint::Plain; 2], 0.0),
        ];
        for (size, radius, [brightness, gradients], gamma) in cases {
            let terms = Terms { radius, brightness, gradients, gamma, ridge: 0.01, limit: 1.5 };
            Pair::new(device).alike(&format!("{size:?}, {terms:?}"), |device| stepped(device, size, terms).0);
            let [got, expected] = [device, &Device::cpu(1).unwrap()].map(|device| stepped(device, size, terms).1);
            assert_close("the sum of lengths", got, expected);
        }
    }
}

#[test]
fn only_pictures_and_small_windows_are_taken() {
    let shape = |size, dimension| Shape { size, dimension };
    assert!(is_supported(shape([9, 8, 1], Dimension::Two), 3));
    assert!(!is_supported(shape([9, 8, 1], Dimension::Two), 4));
    assert!(!is_supported(shape([9, 1, 1], Dimension::Two), 3));
    assert!(!is_supported(shape([9, 8, 7], Dimension::Three), 3));
}
