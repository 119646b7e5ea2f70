//! Tests of the kernel on every device against its text for processors.

use crate::image::resample::Resample;
use crate::kernel::Kernel;
use std::slice::{from_mut, from_ref};
use veloxel_core::{Dimension, Shape};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_buffer, noise_field, shapes};

/// Sizes between which images go, finer, coarser and neither.
fn targets(shape: Shape) -> [Shape; 4] {
    let flat = shape.dimension == Dimension::Two;
    [[1, 1, 1], [19, 14, 7], [64, 31, 20], [2, 50, 3]].map(|mut size| {
        size[2] = if flat { 1 } else { size[2] };
        Shape { size, ..shape }
    })
}

on_every_device! {
    fn images_change_their_grid(device: &Device) {
        for from in shapes() {
            for to in targets(from).into_iter().chain([from]) {
                Pair::new(device).alike(&format!("{:?} to {:?}", from.size, to.size), |device| {
                    let input = noise_buffer(device, from.len(), 1);
                    let mut out = noise_buffer(device, to.len(), 2);
                    Resample { input: from_ref(&input), input_shape: from, output: from_mut(&mut out), output_shape: to, factor: 1.7 }.run(device).unwrap();
                    vec![out]
                });
            }
        }
    }

    fn pictures_above_each_other_stay_apart(device: &Device) {
        let shape = |size| Shape { size, dimension: Dimension::Two };
        let (from, to) = (shape([30, 21, 5]), shape([15, 11, 5]));
        let input = noise_buffer(device, from.len(), 1);
        let mut out = device.zeros(to.len()).unwrap();
        Resample { input: from_ref(&input), input_shape: from, output: from_mut(&mut out), output_shape: to, factor: 1.0 }.run(device).unwrap();
        let (input, out) = (device.download(input).unwrap(), device.download(out).unwrap());
        for (own, expected) in input.chunks(30 * 21).zip(out.chunks(15 * 11)) {
            let own = device.upload(own.to_vec()).unwrap();
            let mut alone = device.zeros(expected.len()).unwrap();
            let [one_in, one_out] = [[30, 21, 1], [15, 11, 1]].map(shape);
            Resample { input: from_ref(&own), input_shape: one_in, output: from_mut(&mut alone), output_shape: one_out, factor: 1.0 }.run(device).unwrap();
            assert_eq!(device.download(alone).unwrap(), expected);
        }
    }

    fn fields_do_so_in_one_go(device: &Device) {
        for from in shapes() {
            for to in targets(from) {
                Pair::new(device).alike(&format!("{:?} to {:?}", from.size, to.size), |device| {
                    let input = noise_field(device, from.components(), from.len(), 1);
                    let mut out = noise_field(device, to.components(), to.len(), 5);
                    Resample { input: &input, input_shape: from, output: &mut out, output_shape: to, factor: 0.5 }.run(device).unwrap();
                    out
                });
            }
        }
    }

    fn weights_keep_their_bits_on_long_axes(device: &Device) {
        let shape = |n| Shape { size: [n, 1, 1], dimension: Dimension::Two };
        for (from, to) in [(60_000, 49_999), (49_999, 60_000)] {
            Pair::new(device).alike(&format!("{from} to {to}"), |device| {
                let input = noise_buffer(device, from, 1);
                let mut out = device.zeros(to).unwrap();
                Resample { input: from_ref(&input), input_shape: shape(from), output: from_mut(&mut out), output_shape: shape(to), factor: 1.0 }.run(device).unwrap();
                vec![out]
            });
        }
    }
}
