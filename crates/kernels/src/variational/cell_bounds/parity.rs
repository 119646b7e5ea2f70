//! Tests of the kernel on every device against its text for processors.

use crate::kernel::Kernel;
use crate::variational::cell_bounds::CellBounds;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_field, shapes};

on_every_device! {
    fn bounds_of_cells(device: &Device) {
        for shape in shapes() {
            for least in [0.1, 0.6] {
                Pair::new(device).alike(&format!("{:?} {least}", shape.size), |device| {
                    let displacement = noise_field(device, shape.components(), shape.len(), 1);
                    let calm = noise_field(device, 1, shape.len(), 9);
                    let mut out = device.zeros(shape.len()).unwrap();
                    let spacing_edges = [1.0, 2.0, 0.5];
                    let kernel = CellBounds {
                        shape,
                        spacing_edges,
                        displacement: &displacement,
                        least,
                        fold: 0.1,
                        before: Some(&calm[0]),
                        kept: None,
                        out: &mut out,
                    };
                    let count = kernel.run(device).unwrap().get(device).unwrap();
                    let count = device.upload(vec![count as f32]).unwrap();
                    vec![out, count]
                });
            }
        }
    }

    fn bounds_of_shortened_changes(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let displacement = noise_field(device, shape.components(), shape.len(), 1);
                let (spacing_edges, least, fold, before) = ([1.0; 3], 0.6, 0.1, None);
                let shares = (0..shape.len()).map(|i| if i % 97 < 2 { 0.5 } else { 1.0 }).collect();
                let shares = device.upload(shares).unwrap();
                let mut out = device.upload(vec![7.0; shape.len()]).unwrap();
                let (displacement, kept) = (&displacement, Some(&shares));
                let kernel = CellBounds { shape, spacing_edges, displacement, least, fold, before, kept, out: &mut out };
                let count = kernel.run(device).unwrap().get(device).unwrap();
                let count = device.upload(vec![count as f32]).unwrap();
                vec![out, count]
            });
        }
    }
}
