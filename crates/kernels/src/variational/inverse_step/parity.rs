//! Tests of the kernel on every device against its text for processors.

use crate::kernel::Kernel;
use crate::variational::inverse_step::InverseStep;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_field, shapes};

on_every_device! {
    fn steps_towards_an_inverse(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let displacement = noise_field(device, shape.components(), shape.len(), 1);
                let mut inverse = noise_field(device, shape.components(), shape.len(), 5);
                // Powers of two: a position is then the same whether products are rounded or not.
                let (spacing_edges, relaxation) = ([1.0, 2.0, 0.5], 0.5);
                InverseStep {
                    shape,
                    spacing_edges,
                    displacement: &displacement,
                    relaxation,
                    inverse: &mut inverse,
                }
                .run(device)
                .unwrap();
                inverse
            });
        }
    }
}
