//! Tests of both kernels on every device against their texts for processors, and of their contract.

use super::{MatchConfidence, MatchError};
use crate::kernel::Kernel;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, noise_field, shapes};

/// The displacement and the confidence of noise, one voxel in seven with a weight.
fn confidence(device: &Device, shape: Shape, masked: bool) -> (Field, Buffer) {
    let (n, d) = (shape.len(), shape.components());
    let (mut displacement, mean) = (noise_field(device, d, n, 1), noise_field(device, d, n, 4));
    let quality = noise_buffer(device, n, 7);
    let distinctness = device.upload(noise(n, 8).iter().map(|v| v.abs()).collect()).unwrap();
    let mut out = device.zeros(n).unwrap();
    let distinctness = masked.then_some(&distinctness);
    let per_mismatch = 0.05;
    MatchError {
        shape,
        displacement: &displacement,
        mean: &mean,
        quality: &quality,
        distinctness,
        per_mismatch,
        out: &mut out,
    }
    .run(device)
    .unwrap();
    let weight = device.upload((0..n).map(|i| f32::from(u8::from(i % 7 == 0))).collect()).unwrap();
    MatchConfidence {
        shape,
        radius: [1, 1, 0],
        weight: masked.then_some(&weight),
        quality: &quality,
        half_edges: 0.5,
        displacement: &mut displacement,
        error_to_confidence: &mut out,
    }
    .run(device)
    .unwrap();
    (displacement, out)
}

on_every_device! {
    fn confidence_and_holes(device: &Device) {
        for shape in shapes() {
            for masked in [false, true] {
                Pair::new(device).alike(&format!("{:?} {masked}", shape.size), |device| {
                    let (mut out, confidence) = confidence(device, shape, masked);
                    out.push(confidence);
                    out
                });
            }
        }
    }
}

#[test]
fn vectors_without_weight_are_unknown() {
    let device = Device::cpu(1).unwrap();
    let (flow, confidence) = confidence(&device, shapes()[0], true);
    let unknown = flow[0].host().iter().zip(confidence.host()).filter(|(v, _)| v.is_nan());
    let (mut count, mut certain) = (0, 0);
    unknown.for_each(|(_, c)| (count, certain) = (count + 1, certain + usize::from(*c != 0.0)));
    assert!(count > 0 && certain == 0, "{count} unknown, {certain} of them with a confidence");
    assert!(confidence.host().iter().all(|c| (0.0..=1.0).contains(c)));
}
