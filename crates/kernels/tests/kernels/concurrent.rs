//! Tests of work that a device does beside other work.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, Operation};
use veloxel_testkit::on_every_device;

const LEN: usize = 70_001;
const STEPS: usize = 40;

/// A copy to which `step` was added again and again, through memory that is dropped in between.
fn raised(device: &Device, from: &Buffer, step: f32) -> Result<Buffer, ComputeError> {
    let mut out = device.scratch(LEN)?;
    CopyBuffer { from, to: &mut out }.run(device)?;
    for _ in 0..STEPS {
        Operation::MapAffine { gain: 1.0, offset: step }.on(&mut out).run(device)?;
        let mut next = device.scratch(LEN)?;
        CopyBuffer { from: &out, to: &mut next }.run(device)?;
        out = next;
    }
    Ok(out)
}

/// Two chains from one image, side by side, and one from the end of the other.
fn forks_and_joins(device: &Device) {
    for round in 0..6 {
        let from = raised(device, &device.upload(vec![round as f32; LEN]).unwrap(), 1.0).unwrap();
        let concurrent = device.concurrently(|| raised(device, &from, 2.0)).unwrap();
        let own = raised(device, &from, 3.0).unwrap();
        let other = concurrent.join();
        let after = raised(device, &other, 4.0).unwrap();
        let end = |steps: f32| vec![round as f32 + steps * STEPS as f32; LEN];
        for (found, expected) in [(own, end(4.0)), (other, end(3.0)), (after, end(7.0))] {
            assert!(device.download(found).unwrap() == expected, "round {round}");
        }
    }
}

on_every_device! {
    fn each_sees_what_came_before_and_both_are_seen_after(device: &Device) {
        forks_and_joins(device);
    }

    fn work_that_fails_leaves_the_device_as_it_was(device: &Device) {
        let failed = device.concurrently(|| device.upload(vec![0.0f32; 3])?.resize(4));
        assert!(matches!(failed, Err(ComputeError::Capacity { .. })));
        forks_and_joins(device);
    }
}
