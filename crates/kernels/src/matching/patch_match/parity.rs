//! Tests of the kernels on every device against their texts for processors.

use super::{
    BEYOND, Codes, FinerMatches, MatchField, PatchMatch, StackedImage, Sweep, WORST, longest, pack, unpack,
};
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_field, shapes};

fn words(len: usize, seed: u32) -> Vec<u32> {
    (0..len as u32)
        .map(|i| (i ^ seed).wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b))
        .collect()
}

/// Matches of a few voxels.
fn some_matches(device: &Device, shape: Shape, sizes: u32) -> Buffer<u32> {
    let d = shape.components();
    let one = |word: u32| pack(d, [0, 8, 16].map(|s| (word >> s & 7) as i32 - 3), (word >> 24) % sizes);
    device.upload(words(shape.len(), 5).into_iter().map(one).collect()).unwrap()
}

fn sizes_of(shape: Shape, margin: usize) -> Vec<StackedImage> {
    let mut start = 0;
    let image = |(percent, growth): (usize, i32)| {
        let size = [0, 1, 2]
            .map(|a| if a < shape.components() { (shape.size[a] * percent).div_ceil(100) } else { 1 });
        let image = StackedImage { size, start, growth, margin };
        start += image.codes();
        image
    };
    [(150, -340), (100, 0), (71, 424)].into_iter().map(image).collect()
}

/// Codes of noise, with their margins.
fn stacked(images: &[StackedImage], seed: u32) -> Vec<u32> {
    let codes = images.iter().map(|image| image.start + image.codes()).max().unwrap();
    let (noise, mut out) = (words(codes, seed), vec![BEYOND; codes]);
    for image in images {
        let [nx, ny, nz] = image.size;
        for at in (0..nx * ny * nz).map(|i| image.index([i % nx, i / nx % ny, i / nx / ny])) {
            out[at] = noise[at];
        }
    }
    out
}

/// Two sweeps over noise.
fn swept(device: &Device, shape: Shape, reach: usize, margin: usize) -> [Vec<u32>; 2] {
    let images = sizes_of(shape, margin);
    let moving = device.upload(stacked(&images, 1)).unwrap();
    let fixed_image = StackedImage { size: shape.size, start: 3, growth: 0, margin };
    let fixed = device.upload(stacked(&[fixed_image], 2)).unwrap();
    let codes = Codes { fixed: &fixed, fixed_image, moving: &moving, moving_images: &images, reach };
    let mut matches = some_matches(device, shape, 3);
    let mut costs = device.upload(vec![WORST; shape.len()]).unwrap();
    for seed in [7, 8] {
        let (mut better, mut better_costs) =
            (device.scratch(shape.len()).unwrap(), device.scratch(shape.len()).unwrap());
        let sweep = Sweep { step: 2, radius: 4, tries: 3, seed };
        let kernel = PatchMatch {
            shape,
            codes,
            sweep,
            matches: &matches,
            costs: &costs,
            better: &mut better,
            better_costs: &mut better_costs,
        };
        kernel.run(device).unwrap();
        (matches, costs) = (better, better_costs);
    }
    [matches, costs].map(|words| device.download(words).unwrap())
}

on_every_device! {
    fn sweeps(device: &Device) {
        // Reaches and margins; the last reach of pictures is longer than the memory of a workgroup takes.
        let reaches = |shape: Shape| match shape.components() {
            2 => vec![(2, 8), (3, 3), (6, 8), (8, 8), (8, 0), (9, 9)],
            _ => vec![(2, 0)],
        };
        // The last picture is too large for teams.
        let large = Shape { size: [150, 120, 1], dimension: Dimension::Two };
        let cases = shapes().into_iter().chain([large]).flat_map(|shape| reaches(shape).into_iter().map(move |r| (shape, r)));
        for (shape, (reach, margin)) in cases {
            let expected = swept(&Device::cpu(1).unwrap(), shape, reach, margin);
            assert!(shape.len() < 100 || expected[1].iter().any(|&cost| cost < WORST));
            assert!(swept(device, shape, reach, margin) == expected, "{:?}, {reach}, {margin}", shape.size);
        }
    }

    fn matches_on_the_next_level(device: &Device) {
        for shape in shapes() {
            let coarser_shape = Shape { size: shape.size.map(|n| n.div_ceil(2)), ..shape };
            let finer = |device: &Device| {
                let coarser = some_matches(device, coarser_shape, 3);
                let [mut matches, mut costs] = [0, 0].map(|_| device.scratch::<u32>(shape.len()).unwrap());
                FinerMatches { shape, coarser_shape, coarser: &coarser, matches: &mut matches, costs: &mut costs }
                    .run(device)
                    .unwrap();
                [matches, costs].map(|words| device.download(words).unwrap())
            };
            assert_eq!(finer(device), finer(&Device::cpu(1).unwrap()), "{:?}", shape.size);
        }
    }

    fn matches_as_a_field(device: &Device) {
        for shape in shapes() {
            let d = shape.components();
            for warped in [false, true] {
                Pair::new(device).alike(&format!("{:?} {warped}", shape.size), |device| {
                    let base = noise_field(device, d, shape.len(), 3);
                    let matches = some_matches(device, shape, 1);
                    let mut out = device.scratch_field(d, shape.len()).unwrap();
                    MatchField { shape, matches: &matches, base: warped.then_some(&base[..]), out: &mut out }
                        .run(device)
                        .unwrap();
                    out
                });
            }
        }
    }
}

#[test]
fn matches_go_into_a_word_and_out_again() {
    for (d, most) in [(2, longest(2)), (3, longest(3))] {
        for vector in [[0, 0, 0], [most, -most, 0], [-5, 17, 0]] {
            let word = pack(d, vector, 4);
            let (found, size) = if d == 2 {
                let ([x, y], size) = unpack::<2>(word);
                ([x, y, 0], size)
            } else {
                unpack::<3>(word)
            };
            assert_eq!((found, size), (vector, 4));
        }
    }
}

/// Shifts the right half of a picture by (5, −3): after a few sweeps nearly every voxel has that match.
#[test]
fn a_shift_is_found() {
    let device = Device::cpu(2).unwrap();
    let shape = Shape { size: [60, 40, 1], dimension: Dimension::Two };
    let fixed = words(shape.len(), 9);
    let moved = |i: usize| {
        let (x, y) = ((i % 60) as i32 - 5, (i / 60) as i32 + 3);
        if (0..60).contains(&x) && (0..40).contains(&y) { fixed[(y * 60 + x) as usize] } else { 0 }
    };
    let moving = device.upload((0..shape.len()).map(moved).collect()).unwrap();
    let fixed = device.upload(fixed.clone()).unwrap();
    let image = StackedImage { size: shape.size, start: 0, growth: 0, margin: 0 };
    let codes =
        Codes { fixed: &fixed, fixed_image: image, moving: &moving, moving_images: &[image], reach: 2 };
    let mut matches = device.upload(vec![pack(2, [0; 3], 0); shape.len()]).unwrap();
    let mut costs = device.upload(vec![WORST; shape.len()]).unwrap();
    for (seed, step) in [8, 4, 2, 1, 4, 2, 1, 1].into_iter().enumerate() {
        let [mut better, mut better_costs] = [0, 0].map(|_| device.scratch(shape.len()).unwrap());
        let sweep = Sweep { step, radius: 8, tries: 8, seed: seed as u32 };
        let (matches_in, costs_in) = (&matches, &costs);
        PatchMatch {
            shape,
            codes,
            sweep,
            matches: matches_in,
            costs: costs_in,
            better: &mut better,
            better_costs: &mut better_costs,
        }
        .run(&device)
        .unwrap();
        (matches, costs) = (better, better_costs);
    }
    let right = matches.host().iter().filter(|&&word| unpack::<2>(word) == ([5, -3], 0)).count();
    assert!(right > 1500, "{right} of 2400 match");
}
