//! Tests of the kernel on every device against its text for processors.

use crate::image::spline::SplineCoefficients;
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_buffer, shapes};

on_every_device! {
    fn samples_become_coefficients(device: &Device) {
        let three = |size| Shape { size, dimension: Dimension::Three };
        let short = [three([2, 3, 4]), three([1, 1, 1]), three([1, 1, 9]), three([12, 2, 1]), three([4, 130, 3])];
        for shape in shapes().into_iter().chain(short) {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let mut samples = noise_buffer(device, shape.len(), 1);
                SplineCoefficients { shape, samples: &mut samples }.run(device).unwrap();
                vec![samples]
            });
        }
    }
}
