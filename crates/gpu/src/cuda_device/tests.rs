//! What only a CUDA device can show.

use super::CudaDevice;
use crate::kernels::pointwise::{clip_length, scale};
use crate::{ComputeError, Device, Later};
use std::sync::Arc;

/// The device, or none where there is no GPU and nobody requires one.
fn cuda() -> Option<Arc<CudaDevice>> {
    match CudaDevice::open(0) {
        Ok(device) => Some(Arc::new(device)),
        Err(error) => {
            let required = std::env::var("VELOXEL_REQUIRE").is_ok_and(|r| r.split(',').any(|r| r == "cuda"));
            assert!(!required, "{error}");
            println!("skipped: {error}");
            None
        }
    }
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
                scale(device, 0.9 + 0.01 * (step + nth) as f32, component)?;
            }
            numbers.push(clip_length(device, 20.0, &mut field)?);
        }
        fields.extend(field);
    }
    let numbers = numbers.into_iter().map(|n| n.get(device)).collect::<Result<_, _>>()?;
    let fields = fields.into_iter().map(|b| device.download(b)).collect::<Result<_, _>>()?;
    Ok((numbers, fields))
}

#[test]
fn replayed_launches_compute_what_launches_do() {
    let Some(cuda) = cuda() else { return };
    let (device, cpu) = (Device::of_gpu(cuda.clone()), Device::cpu(1).unwrap());
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
    assert!(!wanted || cuda.queue.replayed() > 0, "rounds that repeat should be replayed");
}

#[test]
fn stamps_are_in_order() {
    let Some(cuda) = cuda() else { return };
    let device = Device::of_gpu(cuda);
    let mut buffer = device.zeros(1 << 20).unwrap();
    let start = device.stamp().unwrap();
    for _ in 0..100 {
        scale(&device, 1.5, &mut buffer).unwrap();
    }
    let end = device.stamp().unwrap();
    assert!(end.ms_after(&start).unwrap() > 0.0);
}

#[test]
fn uploads_do_not_touch_what_kernels_still_use() {
    let Some(cuda) = cuda() else { return };
    let device = Device::of_gpu(cuda);
    let len = 1 << 20;
    for nth in 0..50 {
        let mut first = device.upload(vec![nth as f32; len]).unwrap();
        for _ in 0..30 {
            scale(&device, 1.0, &mut first).unwrap();
        }
        let mut kept = device.scratch(len).unwrap();
        crate::kernels::pointwise::copy(&device, &first, &mut kept).unwrap();
        drop(first);
        let second = device.upload(vec![-1.0; len]).unwrap();
        assert!(device.download(kept).unwrap().iter().all(|&v| v == nth as f32), "round {nth}");
        drop(second);
    }
}
