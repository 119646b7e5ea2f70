//! Tests of the kernels on every device against their text for processors, and of that text against its definition.

use super::{ConfidenceOfOdds, MOST_ODDS, SquaredOdds};
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, shapes};

/// Confidences of 0, of 1, and in between.
fn confidences(count: usize, seed: u64) -> Vec<f32> {
    noise(count, seed).into_iter().map(|v| (1.2 * v - 0.1).clamp(0.0, 1.0)).collect()
}

on_every_device! {
    fn odds(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let confidence = &device.upload(confidences(shape.len(), 3)).unwrap();
                let mut squared = device.zeros(shape.len()).unwrap();
                SquaredOdds { confidence, out: &mut squared }.run(device).unwrap();
                let entry = |nth: u64| {
                    let shares = confidences(shape.len(), 5 + nth);
                    device.upload(shares.into_iter().map(|v| 1e-5 * v).collect()).unwrap()
                };
                let entries: Vec<_> = (0..shape.components() as u64).map(entry).collect();
                let (diagonal, mut out) = (entries.iter().collect::<Vec<_>>(), device.zeros(shape.len()).unwrap());
                let (squared_odds, diagonal) = (&squared, &diagonal[..]);
                ConfidenceOfOdds { squared_odds, contrast: 1e-6, diagonal, out: &mut out }.run(device).unwrap();
                vec![squared, out]
            });
        }
    }
}

#[test]
fn odds_lead_back_to_their_confidence_and_nothing_becomes_sure() {
    let device = &Device::cpu(1).unwrap();
    let given = [0.0, 1e-4, 0.25, 0.5, 0.9, 0.999, 1.0];
    let confidence = device.upload(given.to_vec()).unwrap();
    let mut squared = device.zeros(given.len()).unwrap();
    SquaredOdds { confidence: &confidence, out: &mut squared }.run(device).unwrap();
    assert_eq!(device.read(&squared).unwrap()[6], MOST_ODDS * MOST_ODDS);
    let back = |trace: f32| {
        let entry = &device.upload(vec![0.5 * trace; given.len()]).unwrap();
        let mut out = device.zeros(given.len()).unwrap();
        let diagonal = &[entry, entry];
        ConfidenceOfOdds { squared_odds: &squared, contrast: 1e-6, diagonal, out: &mut out }
            .run(device)
            .unwrap();
        device.read(&out).unwrap()
    };
    for (a, b) in given.iter().zip(back(1.0)) {
        assert!((a - b).abs() < 1.5e-4 && b < 1.0, "{a} became {b}");
    }
    assert_eq!(back(0.0), [0.0; 7]);
    assert!((back(1e-6)[3] - 0.25).abs() < 1e-6);
}
