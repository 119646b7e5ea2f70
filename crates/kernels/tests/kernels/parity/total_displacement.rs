use super::*;
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_kernels::variational::total_displacement::{from_voxels, to_voxels};
use veloxel_testkit::on_every_device;

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
                    let mut field = noise_field(device, (shape.components(), shape.len()), 1);
                    to_voxels(device, (shape, SPACING_EDGES), map, &mut field).unwrap();
                    field
                });
            }
        }
    }

    fn voxels_become_edges(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let mut field = noise_field(device, (shape.components(), shape.len()), 1);
                field[0] = device.upload(vec![f32::NAN; shape.len()]).unwrap();
                from_voxels(device, (shape, SPACING_EDGES), &mut field).unwrap();
                field
            });
        }
    }
}
