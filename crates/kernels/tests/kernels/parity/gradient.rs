use super::*;
use veloxel_kernels::image::gradient::{Scheme, gradient, gradients};
use veloxel_testkit::on_every_device;

on_every_device! {
    fn one_axis_at_a_time(device: &Device) {
        for shape in shapes() {
            for scheme in [Scheme::Forward, Scheme::Central4] {
                Pair::new(device).alike(&format!("{:?} {scheme:?}", shape.size), |device| {
                    let image = noise_buffer(device, shape.len(), 1);
                    let mut out = noise_field(device, (shape.components(), shape.len()), 2);
                    for (axis, out) in out.iter_mut().enumerate() {
                        gradient(device, (shape, axis, scheme), &image, out).unwrap();
                    }
                    out
                });
            }
        }
    }

    fn all_axes_at_once(device: &Device) {
        for shape in shapes() {
            for scheme in [Scheme::Forward, Scheme::Central4] {
                Pair::new(device).alike(&format!("{:?} {scheme:?}", shape.size), |device| {
                    let mut samples = noise(shape.len(), 1);
                    samples.iter_mut().step_by(53).for_each(|v| *v = f32::NAN);
                    let image = device.upload(samples).unwrap();
                    let mut out = noise_field(device, (shape.components(), shape.len()), 2);
                    gradients(device, (shape, scheme), &image, &mut out).unwrap();
                    out
                });
            }
        }
    }
}
