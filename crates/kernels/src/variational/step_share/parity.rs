//! Tests of the kernel on every device against its text for processors.

use crate::kernel::Kernel;
use crate::variational::step_share::StepShare;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_field, shapes};

on_every_device! {
    fn shares_of_steps(device: &Device) {
        for shape in shapes() {
            for (reach, is_moved) in [(1, true), (4, true), (2, false)] {
                Pair::new(device).alike(&format!("{:?} {reach}", shape.size), |device| {
                    let map = noise_field(device, shape.components(), shape.len(), 1);
                    let bounds = noise_field(device, 2, shape.len(), 8);
                    let mut memory = [device.zeros(shape.len()).unwrap(), device.zeros(shape.len()).unwrap()];
                    let [first, second] = &mut memory;
                    let mut share = noise_field(device, 1, shape.len(), 3);
                    // Powers of two: a position is then the same whether products are rounded or not.
                    let (spacing_edges, target) = ([1.0, 2.0, 0.5], 0.1);
                    StepShare {
                        shape,
                        spacing_edges,
                        map: if is_moved { &map } else { &[] },
                        before: &bounds[0],
                        after: &bounds[1],
                        target,
                        safety: 0.9,
                        reach,
                        memory: [first, second],
                        share: &mut share[0],
                    }
                    .run(device)
                    .unwrap();
                    share
                });
            }
        }
    }
}
