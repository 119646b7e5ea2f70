//! Tests of the kernel on every device against its text for processors.

use crate::image::warp::VoxelAffine;
use crate::kernel::Kernel;
use crate::variational::total_displacement::{FromVoxels, ToVoxels};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_field, shapes};

const SPACING_EDGES: [f32; 3] = [1.0, 1.3, 2.7];

on_every_device! {
    fn edges_become_voxels(device: &Device) {
        let turned = VoxelAffine {
            matrix: [[0.97, -0.05, 0.02], [0.04, 1.02, -0.03], [-0.02, 0.05, 0.99]],
            offset: [0.3, -7.2, 0.1],
        };
        for shape in shapes() {
            for map in [VoxelAffine::IDENTITY, turned] {
                Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                    let mut field = noise_field(device, shape.components(), shape.len(), 1);
                    ToVoxels { shape, spacing_edges: SPACING_EDGES, map, field: &mut field }.run(device).unwrap();
                    field
                });
            }
        }
    }

    fn voxels_become_edges(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let mut field = noise_field(device, shape.components(), shape.len(), 1);
                field[0] = device.upload(vec![f32::NAN; shape.len()]).unwrap();
                FromVoxels { shape, spacing_edges: SPACING_EDGES, field: &mut field }.run(device).unwrap();
                field
            });
        }
    }
}
