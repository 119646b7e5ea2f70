//! Tests of the kernel on every device against its text for processors, and of that text against its definition.

use super::WindowSum;
use crate::kernel::Kernel;
use veloxel_core::{Axes, Dimension, Shape};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, shapes};

const RADII: [Axes<usize>; 8] =
    [[0, 0, 0], [1, 1, 1], [2, 0, 3], [3, 5, 0], [0, 7, 1], [21, 10, 4], [56, 32, 24], [127, 127, 65]];

fn direct(shape: Shape, radius: Axes<usize>, input: &[f32]) -> Vec<f64> {
    let mut sums: Vec<f64> = input.iter().map(|&v| f64::from(v)).collect();
    for axis in 0..shape.components() {
        let (stride, count) = (shape.size[..axis].iter().product::<usize>(), shape.size[axis]);
        let sum = |i: usize| {
            let at = i / stride % count;
            let window = at.saturating_sub(radius[axis])..(at + radius[axis] + 1).min(count);
            window.map(|to| sums[i - at * stride + to * stride]).sum()
        };
        sums = (0..shape.len()).map(sum).collect();
    }
    sums
}

on_every_device! {
    fn windows_of_every_width(device: &Device) {
        for shape in shapes() {
            for radius in RADII {
                Pair::new(device).alike(&format!("{:?}, {radius:?}", shape.size), |device| {
                    let input = noise_buffer(device, shape.len(), 1);
                    let mut output = noise_buffer(device, shape.len(), 2);
                    WindowSum { shape, radius, input: &input, output: &mut output }.run(device).unwrap();
                    vec![output]
                });
            }
        }
    }

    fn long_windows_of_lines_in_pieces(device: &Device) {
        for size in [[4100, 3, 1], [19, 700, 1]] {
            let shape = Shape { size, dimension: Dimension::Two };
            for radius in [[24, 24, 0], [56, 56, 0], [127, 127, 0]] {
                Pair::new(device).alike(&format!("{size:?}, {radius:?}"), |device| {
                    let input = noise_buffer(device, shape.len(), 1);
                    let mut output = noise_buffer(device, shape.len(), 2);
                    WindowSum { shape, radius, input: &input, output: &mut output }.run(device).unwrap();
                    vec![output]
                });
            }
        }
    }

    fn sums_are_those_of_the_definition(device: &Device) {
        for shape in shapes() {
            for radius in RADII {
                let samples = noise(shape.len(), 3);
                let expected = direct(shape, radius, &samples);
                let input = device.upload(samples).unwrap();
                let mut output = device.zeros(shape.len()).unwrap();
                WindowSum { shape, radius, input: &input, output: &mut output }.run(device).unwrap();
                for (got, expected) in device.download(output).unwrap().into_iter().zip(expected) {
                    assert!(
                        (f64::from(got) - expected).abs() < 1e-4,
                        "{:?}, {radius:?}: {got} instead of {expected}", shape.size
                    );
                }
            }
        }
    }
}
