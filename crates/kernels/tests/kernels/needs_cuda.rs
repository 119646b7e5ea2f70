//! Tests that only a CUDA device can run.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use veloxel_gpu::{ComputeError, Device, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{ClipLength, CopyBuffer, Operation};
use veloxel_testkit::every_device::here;

fn cuda() -> Device {
    here("cuda", Device::named("cuda", 1))
}

/// Launches of many kinds on fields whose memory changes from round to round, the numbers found, and the fields.
fn round(device: &Device, nth: usize) -> Result<(Vec<f64>, Vec<Vec<f32>>), ComputeError> {
    let sizes = [1000, 70_000, 1000 + nth];
    let mut fields = Vec::new();
    let mut numbers: Vec<Later<f64>> = Vec::new();
    for (which, len) in sizes.into_iter().enumerate() {
        let samples = |seed: usize| (0..len).map(|i| ((i * 37 + seed * 11) % 101) as f32 - 50.0).collect();
        let mut field = vec![device.upload(samples(nth))?, device.upload(samples(which + 5))?];
        for step in 0..40 {
            for component in &mut field {
                let gain = 0.9 + 0.01 * (step + nth) as f32;
                Operation::MapAffine { gain, offset: 0.0 }.on(component).run(device)?;
            }
            numbers.push(ClipLength { limit: 20.0, field: &mut field }.run(device)?);
        }
        fields.extend(field);
    }
    let numbers = numbers.into_iter().map(|n| n.get(device)).collect::<Result<_, _>>()?;
    let fields = fields.into_iter().map(|b| device.download(b)).collect::<Result<_, _>>()?;
    Ok((numbers, fields))
}

#[test]
fn replayed_launches_compute_what_launches_do() {
    let device = cuda();
    let cpu = Device::cpu(1).unwrap();
    for nth in 0..6 {
        let ((numbers, fields), (expected, expected_fields)) =
            (round(&device, nth).unwrap(), round(&cpu, nth).unwrap());
        assert!(fields == expected_fields, "round {nth}");
        for (number, expected) in numbers.iter().zip(expected) {
            assert!((number - expected).abs() <= 2e-5 * expected.abs(), "round {nth}: {number}, {expected}");
        }
    }
    let wanted =
        std::env::var_os("VELOXEL_RECORDINGS").is_none() && std::env::var_os("VELOXEL_PROFILE").is_none();
    assert!(
        !wanted || device.replayed_runs().is_some_and(|runs| runs > 0),
        "rounds that repeat should be replayed"
    );
}

#[test]
fn stamps_are_in_order() {
    let device = cuda();
    let mut buffer = device.zeros(1 << 20).unwrap();
    let start = device.stamp().unwrap();
    for _ in 0..100 {
        Operation::MapAffine { gain: 1.5, offset: 0.0 }.on(&mut buffer).run(&device).unwrap();
    }
    let end = device.stamp().unwrap();
    assert!(end.ms_after(&start).unwrap() > 0.0);
}

#[test]
fn uploads_do_not_touch_what_kernels_still_use() {
    let device = cuda();
    let len = 1 << 20;
    for nth in 0..50 {
        let mut first = device.upload(vec![nth as f32; len]).unwrap();
        for _ in 0..30 {
            Operation::MapAffine { gain: 1.0, offset: 0.0 }.on(&mut first).run(&device).unwrap();
        }
        let mut kept = device.scratch(len).unwrap();
        CopyBuffer { from: &first, to: &mut kept }.run(&device).unwrap();
        drop(first);
        let second = device.upload(vec![-1.0; len]).unwrap();
        assert!(device.download(kept).unwrap().iter().all(|&v| v == nth as f32), "round {nth}");
        drop(second);
    }
}
