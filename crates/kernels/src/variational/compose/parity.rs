//! Tests of the kernel on every device against its text for processors.

use crate::kernel::Kernel;
use crate::variational::compose::{Compose, UpdateRule};
use veloxel_core::Shape;
use veloxel_gpu::{Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_field, shapes};

/// Noise of amplitude 1.7, NaN here and there.
fn step(device: &Device, shape: Shape) -> Field {
    (0..shape.components())
        .map(|c| {
            let mut samples: Vec<f32> = noise(shape.len(), 7 + c as u64).iter().map(|v| 1.7 * v).collect();
            samples.iter_mut().skip(c).step_by(101).for_each(|v| *v = f32::NAN);
            device.upload(samples).unwrap()
        })
        .collect()
}

on_every_device! {
    fn steps_join_displacements(device: &Device) {
        for shape in shapes() {
            for update in [UpdateRule::Add, UpdateRule::Compose, UpdateRule::TowardsInverse(0.5)] {
                Pair::new(device).alike(&format!("{:?} {update:?}", shape.size), |device| {
                    let displacement = noise_field(device, shape.components(), shape.len(), 1);
                    let mut increment = step(device, shape);
                    // Powers of two: a position is then the same whether products are rounded or not.
                    let spacing_edges = [1.0, 2.0, 0.5];
                    let composition = Compose {
                        shape,
                        spacing_edges,
                        update,
                        displacement: &displacement,
                        increment: &mut increment,
                    };
                    composition.run(device).unwrap();
                    increment
                });
            }
        }
    }
}
