//! Tests of the kernels on every device against their texts for processors.

use super::{Confirmation, NOWHERE, PathTolerance, PathVerdict, Visible};
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, shapes};

/// Noise of one voxel, NaN here and there.
fn field(device: &Device, shape: Shape, seed: u64) -> Field {
    let component = |c: usize| {
        let mut samples = noise(shape.len(), seed + c as u64);
        samples.iter_mut().skip(c).step_by(37).for_each(|v| *v = f32::NAN);
        device.upload(samples).unwrap()
    };
    (0..shape.components()).map(component).collect()
}

fn judged(device: &Device, shape: Shape, verdict: PathVerdict, fields: [&Field; 2]) -> Buffer {
    let mut out = device.scratch(shape.len()).unwrap();
    let ([forward, backward], tolerance) = (fields, PathTolerance { least_vox: 0.75, share: 0.125 });
    Confirmation { shape, tolerance, forward, backward, verdict, out: &mut out }.run(device).unwrap();
    out
}

fn confirmed(device: &Device, shape: Shape, fields: [&Field; 2]) -> Buffer {
    judged(device, shape, PathVerdict::Confirmed, fields)
}

on_every_device! {
    fn what_is_confirmed_and_what_is_seen(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let (there, back) = (field(device, shape, 1), field(device, shape, 11));
                let both = [confirmed(device, shape, [&there, &back]), confirmed(device, shape, [&back, &there])];
                let mut out = device.scratch(shape.len()).unwrap();
                let [own, other] = &both;
                Visible { shape, forward: &there, confirmed: own, confirmed_back: other, out: &mut out }
                    .run(device)
                    .unwrap();
                let doubt = judged(device, shape, PathVerdict::Doubt { most: 4.0 }, [&there, &back]);
                both.into_iter().chain([out, doubt]).collect()
            });
        }
    }
}

/// Moves five voxels on the right two to the left, onto voxels that stay: these are hidden.
#[test]
fn what_others_move_onto_is_hidden() {
    let device = Device::cpu(1).unwrap();
    let shape = Shape { size: [12, 1, 1], dimension: Dimension::Two };
    let along =
        |vectors: [f32; 12]| vec![device.upload(vectors.to_vec()).unwrap(), device.zeros(12).unwrap()];
    let there = along([0., 0., 0., 0., 0., 0., 0., -2., -2., -2., -2., -2.]);
    let back = along([0., 0., 0., 0., 0., 2., 2., 2., 2., 2., 2., 0.]);
    let [own, other] = [[&there, &back], [&back, &there]].map(|fields| confirmed(&device, shape, fields));
    let mut out = device.scratch(12).unwrap();
    Visible { shape, forward: &there, confirmed: &own, confirmed_back: &other, out: &mut out }
        .run(&device)
        .unwrap();
    assert_eq!(own.host(), [1., 1., 1., 1., 1., 0., 0., 1., 1., 1., 1., 1.]);
    assert_eq!(out.host(), [1., 1., 1., 1., 1., 0., 0., 1., 1., 1., 1., 1.]);
    let doubt = judged(&device, shape, PathVerdict::Doubt { most: 2.0 }, [&there, &back]);
    assert_eq!(doubt.host()[..5], [0.0; 5]);
    assert_eq!(doubt.host()[5..7], [1.0; 2], "two voxels off are more than twice the tolerance");
    let away = vec![device.upload(vec![99.0; 12]).unwrap(), device.zeros(12).unwrap()];
    assert_eq!(
        judged(&device, shape, PathVerdict::Doubt { most: 2.0 }, [&away, &back]).host(),
        [NOWHERE; 12]
    );
}
