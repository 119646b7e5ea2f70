//! The comparison of a kernel on a device with its processor text: the same inputs must give the same bits.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::tolerances::KERNEL_PARITY;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, Field};
pub use veloxel_phantoms::signed_noise as noise;

/// Shapes whose sizes divide by nothing, shapes whose sizes divide by four, and shapes with axes of one voxel.
pub fn shapes() -> Vec<Shape> {
    [
        ([37, 21, 1], Dimension::Two),
        ([64, 40, 1], Dimension::Two),
        ([23, 14, 11], Dimension::Three),
        ([48, 20, 18], Dimension::Three),
        ([5, 1, 4], Dimension::Three),
        ([1, 3, 2], Dimension::Three),
        ([300, 3, 2], Dimension::Three),
    ]
    .into_iter()
    .map(|(size, dimension)| Shape { size, dimension })
    .collect()
}

/// A device under test beside the processor: inputs go to both, outputs are compared.
pub struct Pair<'a> {
    device: &'a Device,
    cpu: Device,
}

impl<'a> Pair<'a> {
    /// A pair of a device and a processor of one thread.
    pub fn new(device: &'a Device) -> Self {
        Self { device, cpu: Device::cpu(1).unwrap() }
    }
    /// Calls `work` with the device and then with the processor; what it returns must be the same numbers, to the last bit. +0
    /// and −0 count as equal.
    pub fn alike(&self, what: &str, work: impl Fn(&Device) -> Vec<Buffer>) {
        self.alike_but(0, what, work);
    }
    /// Compares as [`Self::alike`] does, except for the last `numbers` of what `work` returns: these are sums whose grouping is
    /// the device's own, and agree to [`KERNEL_PARITY`] of the largest value.
    pub fn alike_but(&self, numbers: usize, what: &str, work: impl Fn(&Device) -> Vec<Buffer>) {
        let [got, expected] = [self.device, &self.cpu]
            .map(|device| work(device).into_iter().map(|b| device.download(b).unwrap()).collect::<Vec<_>>());
        assert_eq!(got.len(), expected.len());
        let samples = got.len() - numbers;
        for (c, (got, expected)) in got.iter().zip(&expected).enumerate() {
            let scale = expected.iter().filter(|v| v.is_finite()).fold(1e-30f32, |m, v| m.max(v.abs()));
            for (i, (g, e)) in got.iter().zip(expected).enumerate() {
                let alike = g == e || (g.is_nan() && e.is_nan());
                let close = c >= samples && f64::from((g - e).abs() / scale) <= KERNEL_PARITY;
                assert!(
                    alike || close,
                    "{what}, component {c}, sample {i}: {g:e} where the processor has {e:e}"
                );
            }
        }
    }
}

/// Noise, on a device.
pub fn noise_buffer(device: &Device, len: usize, seed: u64) -> Buffer {
    device.upload(noise(len, seed)).unwrap()
}

/// Noise of several components.
pub fn noise_field(device: &Device, count: usize, len: usize, seed: u64) -> Field {
    (0..count).map(|c| noise_buffer(device, len, seed + c as u64)).collect()
}

/// Compares a number with the processor's.
pub fn assert_close(what: &str, got: f64, expected: f64) {
    assert!(
        (got - expected).abs() <= KERNEL_PARITY * expected.abs().max(1e-30),
        "{what}: {got} where the processor has {expected}"
    );
}
