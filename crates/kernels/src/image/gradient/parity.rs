//! Tests of the kernel on every device against its text for processors.

use crate::image::gradient::{Gradient, Scheme};
use crate::kernel::Kernel;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_field, shapes};

on_every_device! {
    fn all_axes_at_once(device: &Device) {
        for shape in shapes() {
            for scheme in [Scheme::Forward, Scheme::TwoSided, Scheme::Central4] {
                Pair::new(device).alike(&format!("{:?} {scheme:?}", shape.size), |device| {
                    let mut samples = noise(shape.len(), 1);
                    samples.iter_mut().step_by(53).for_each(|v| *v = f32::NAN);
                    let image = device.upload(samples).unwrap();
                    let mut out = noise_field(device, shape.components(), shape.len(), 2);
                    Gradient { shape, scheme, image: &image, out: &mut out }.run(device).unwrap();
                    out
                });
            }
        }
    }
}
