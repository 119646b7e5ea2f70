//! Tests of the kernels on every device against their texts for processors.

use super::{Contrast, Votes};
use crate::kernel::Kernel;
use crate::matching::census::Census;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, shapes};

/// Noise of one voxel, NaN here and there.
fn field(device: &Device, shape: Shape, seed: u64) -> Field {
    let component = |c: usize| {
        let mut samples = noise(shape.len(), seed + c as u64);
        samples.iter_mut().skip(c).step_by(37).for_each(|v| *v = f32::NAN);
        device.upload(samples).unwrap()
    };
    (0..shape.components()).map(component).collect()
}

fn codes(device: &Device, shape: Shape, seed: u64) -> Buffer<u32> {
    let image = noise_buffer(device, shape.len(), seed);
    let mut codes = device.scratch(shape.len()).unwrap();
    Census { shape, threshold: 0.002, image: &image, start: 0, margin: 0, codes: &mut codes }
        .run(device)
        .unwrap();
    codes
}

fn voted(device: &Device, shape: Shape, fields: [&[Buffer]; 2], contrast: &Buffer) -> [Buffer; 2] {
    let [mut for_first, mut all] = [0, 1].map(|_| device.scratch(shape.len()).unwrap());
    let (apart, margin) = (0.5, 2.0);
    Votes { shape, apart, margin, fields, contrast, for_first: &mut for_first, all: &mut all }
        .run(device)
        .unwrap();
    [for_first, all]
}

on_every_device! {
    fn what_is_explained_better_and_who_votes(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let (first, second) = (field(device, shape, 1), field(device, shape, 11));
                let fields = [&first[..], &second[..]];
                let [fixed, one, other] = [21, 31, 41].map(|seed| codes(device, shape, seed));
                let (seen_codes, mut out) = ([&one, &other], device.scratch(shape.len()).unwrap());
                Contrast { shape, most_bits: 9, fields, fixed_codes: &fixed, seen_codes, out: &mut out }
                    .run(device)
                    .unwrap();
                let [for_first, all] = voted(device, shape, fields, &out);
                vec![out, for_first, all]
            });
        }
    }
}

#[test]
fn bits_are_counted_where_both_fields_lead_inside() {
    let device = Device::cpu(1).unwrap();
    let shape = Shape { size: [6, 1, 1], dimension: Dimension::Two };
    let along = |x: [f32; 6]| vec![device.upload(x.to_vec()).unwrap(), device.zeros(6).unwrap()];
    let code = |codes: [u32; 6]| device.upload(codes.to_vec()).unwrap();
    let (first, second) = (along([0.0; 6]), along([1.0, 1.0, 0.25, f32::NAN, 1.0, 1.0]));
    let (fixed, one, other) = (
        code([0; 6]),
        code([0b1, 0b111, 0, 0, 0, 0]),
        code([0b11_1111_1111_1111, 0b1, 0b1111, 7, 3, 0b1111]),
    );
    let mut out = device.scratch(6).unwrap();
    let (fields, seen_codes) = ([&first[..], &second[..]], [&one, &other]);
    Contrast { shape, most_bits: 9, fields, fixed_codes: &fixed, seen_codes, out: &mut out }
        .run(&device)
        .unwrap();
    // NaN, and beyond the last voxel, lead nowhere.
    assert_eq!(out.host(), [8.0, -2.0, 4.0, 0.0, 2.0, 0.0]);
    let contrast = device.upload(vec![8.0, -3.0, 4.0, 5.0, 2.0, 5.0]).unwrap();
    let [for_first, all] = voted(&device, shape, fields, &contrast);
    // The third ones are too near to each other, the fifth contrast is no larger than the margin.
    assert_eq!(for_first.host(), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(all.host(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
}
