//! Tests of the kernels on every device against their texts for processors.

use super::{AddDifference, Agreement, Replacement};
use crate::kernel::Kernel;
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, shapes};

/// Noise of one voxel, NaN here and there.
fn field(device: &Device, components: usize, n: usize, seed: u64) -> Field {
    let component = |c: usize| {
        let mut samples = noise(n, seed + c as u64);
        samples.iter_mut().skip(c).step_by(37).for_each(|v| *v = f32::NAN);
        device.upload(samples).unwrap()
    };
    (0..components).map(component).collect()
}

fn agreeing(device: &Device, fields: [&Field; 2], weight: &Buffer) -> Buffer {
    let mut out = device.scratch(weight.len()).unwrap();
    let fields = fields.map(|field| &field[..]);
    Agreement { distance: 0.75, fields, weight, out: &mut out }.run(device).unwrap();
    out
}

on_every_device! {
    fn what_agrees_and_what_is_replaced(device: &Device) {
        for shape in shapes() {
            let (d, n) = (shape.components(), shape.len());
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let (one, other) = (field(device, d, n, 1), field(device, d, n, 11));
                let all = noise_buffer(device, n, 21);
                let weight = agreeing(device, [&one, &other], &all);
                let (by, mut out) = (noise_buffer(device, n, 31), noise_buffer(device, n, 41));
                Replacement { share: 0.5, agreeing: &weight, all: &all, by: &by, out: &mut out }
                    .run(device)
                    .unwrap();
                let mut sum = noise_buffer(device, n, 51);
                let images = [&one[0], &other[0]];
                AddDifference { gain: 3.0, most: 0.5, images, out: &mut sum }.run(device).unwrap();
                vec![weight, out, sum]
            });
        }
    }
}

#[test]
fn samples_are_replaced_where_enough_agrees() {
    let device = Device::cpu(1).unwrap();
    let field = |x: [f32; 4]| vec![device.upload(x.to_vec()).unwrap(), device.zeros(4).unwrap()];
    let all = device.upload(vec![1.0, 1.0, 1.0, 0.0]).unwrap();
    let fields = [field([0.0, 1.0, f32::NAN, 0.0]), field([0.5, 3.0, 0.0, 0.0])];
    let weight = agreeing(&device, [&fields[0], &fields[1]], &all);
    assert_eq!(weight.host(), [1.0, 0.0, 0.0, 0.0]);
    let (by, mut out) = (device.upload(vec![7.0; 4]).unwrap(), device.zeros(4).unwrap());
    Replacement { share: 0.98, agreeing: &weight, all: &all, by: &by, out: &mut out }.run(&device).unwrap();
    assert_eq!(out.host(), [7.0, 0.0, 0.0, 0.0]);
}
