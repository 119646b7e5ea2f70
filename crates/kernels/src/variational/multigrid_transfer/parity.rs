//! Tests of the kernel on every device against its text for processors.

use crate::kernel::Kernel;
use crate::variational::multigrid_transfer::{Prolong, Restrict, TransferTarget, coarser};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_field, shapes};

on_every_device! {
    fn cells_are_averaged_and_spread_alike(device: &Device) {
        for fine_shape in shapes() {
            for halve in [[true; 3], [true, false, true], [false, true, false]] {
                let coarse_shape = coarser(fine_shape, [0, 1, 2].map(|a| halve[a] && a < fine_shape.components()));
                for channels in [1, 3, 6, 9] {
                    Pair::new(device).alike(&format!("restrict {:?} {halve:?}", fine_shape.size), |device| {
                        let input = noise_field(device, channels, fine_shape.len(), 1);
                        let mut out = device.zeros_field(channels, coarse_shape.len()).unwrap();
                        Restrict { fine_shape, fine: &input, coarse_shape, coarse: &mut out }.run(device).unwrap();
                        out
                    });
                }
                for components in [1, 2, 3] {
                    Pair::new(device).alike(&format!("prolong {:?} {halve:?}", fine_shape.size), |device| {
                        let input = noise_field(device, components, coarse_shape.len(), 1);
                        let mut out = noise_field(device, components, fine_shape.len(), 4);
                        let mut anew = noise_field(device, components, fine_shape.len(), 7);
                        for (fine, onto) in [(&mut out, TransferTarget::Present), (&mut anew, TransferTarget::Nothing)] {
                            let coarse = input.as_slice();
                            Prolong { coarse_shape, coarse, fine_shape, fine, onto }.run(device).unwrap();
                        }
                        out.extend(anew);
                        out
                    });
                }
            }
        }
    }
}
