use super::*;
use veloxel_kernels::variational::multigrid_transfer::{coarser, prolong, prolong_add, restrict};
use veloxel_testkit::on_every_device;

on_every_device! {
    fn cells_are_averaged_and_spread_alike(device: &Device) {
        for fine in shapes() {
            for halve in [[true; 3], [true, false, true], [false, true, false]] {
                let coarse = coarser(fine, [0, 1, 2].map(|a| halve[a] && a < fine.components()));
                for channels in [1, 3, 6, 9] {
                    Pair::new(device).alike(&format!("restrict {:?} {halve:?}", fine.size), |device| {
                        let input = noise_field(device, (channels, fine.len()), 1);
                        let mut out = device.zeros_field(channels, coarse.len()).unwrap();
                        restrict(device, (&input, fine), (&mut out, coarse)).unwrap();
                        out
                    });
                }
                for components in [1, 2, 3] {
                    Pair::new(device).alike(&format!("prolong {:?} {halve:?}", fine.size), |device| {
                        let input = noise_field(device, (components, coarse.len()), 1);
                        let mut out = noise_field(device, (components, fine.len()), 4);
                        prolong_add(device, (&input, coarse), (&mut out, fine)).unwrap();
                        let mut anew = noise_field(device, (components, fine.len()), 7);
                        prolong(device, (&input, coarse), (&mut anew, fine)).unwrap();
                        out.extend(anew);
                        out
                    });
                }
            }
        }
    }
}
