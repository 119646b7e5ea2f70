//! Tests of the kernel on every device against its text for processors.

use super::{MatchNodes, Members, cells, planes};
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, noise_field, shapes};

/// Weights above 0 for one of three voxels.
fn weights(device: &Device, shape: Shape) -> Buffer {
    let weight = |v: f32| if v > 0.3 { v } else { 0.0 };
    device.upload(noise(shape.len(), 5).into_iter().map(weight).collect()).unwrap()
}

on_every_device! {
    fn nodes_of_voxels_and_of_nodes(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let d = shape.components();
                let (field, weight) = (noise_field(device, d, shape.len(), 1), weights(device, shape));
                let image = noise_buffer(device, shape.len(), 9);
                let grid = cells(shape, 4);
                let mut nodes = device.scratch(planes(d) * grid.len()).unwrap();
                let members = Members::Voxels { field: &field, weight: &weight, image: &image };
                MatchNodes { shape, width: 4, cap_vox: 0.5, members, out: &mut nodes }.run(device).unwrap();
                let mut coarser = device.scratch(planes(d) * cells(grid, 2).len()).unwrap();
                let members = Members::Nodes(&nodes);
                MatchNodes { shape: grid, width: 2, cap_vox: 1.0, members, out: &mut coarser }
                    .run(device)
                    .unwrap();
                vec![nodes, coarser]
            });
        }
    }
}

#[test]
fn the_motion_of_most_stands_for_a_cell() {
    let device = Device::cpu(1).unwrap();
    let shape = Shape { size: [4, 1, 1], dimension: Dimension::Two };
    let row = |values: [f32; 4]| device.upload(values.to_vec()).unwrap();
    let field = [row([5.0, 9.0, 5.5, f32::NAN]), row([0.0; 4])];
    let (weight, image) = (row([1.0, 1.0, 1.0, 0.0]), row([0.1, 0.2, 0.3, 0.4]));
    let mut out = device.scratch(6).unwrap();
    let members = Members::Voxels { field: &field, weight: &weight, image: &image };
    MatchNodes { shape, width: 4, cap_vox: 10.0, members, out: &mut out }.run(&device).unwrap();
    assert_eq!(out.host(), [2.0, 0.0, 5.5, 0.0, 0.75, 0.3]);
}
