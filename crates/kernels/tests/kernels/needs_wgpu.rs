//! Tests that only a device of wgpu can run.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, Operation};
use veloxel_testkit::every_device::here;

fn wgpu() -> Device {
    here("wgpu", Device::named("wgpu", 1))
}

const LEN: usize = 5000;

#[test]
fn uploads_do_not_touch_what_launches_still_use() {
    let device = wgpu();
    for nth in 0..20 {
        let first = device.upload(vec![nth as f32; LEN]).unwrap();
        let mut kept = device.scratch(LEN).unwrap();
        CopyBuffer { from: &first, to: &mut kept }.run(&device).unwrap();
        drop(first);
        let second = device.upload(vec![-1.0; LEN]).unwrap();
        assert_eq!(device.download(kept).unwrap(), vec![nth as f32; LEN], "round {nth}");
        drop(second);
    }
}

#[test]
fn memory_that_is_used_again_is_zero_where_zeros_are_asked_for() {
    let device = wgpu();
    for nth in 0..20 {
        let mut first = device.zeros(LEN).unwrap();
        Operation::MapAffine { gain: 1.0, offset: nth as f32 }.on(&mut first).run(&device).unwrap();
        let mut kept = device.scratch(LEN).unwrap();
        CopyBuffer { from: &first, to: &mut kept }.run(&device).unwrap();
        drop(first);
        let mut second = device.zeros(LEN).unwrap();
        Operation::MapAffine { gain: 1.0, offset: 0.5 }.on(&mut second).run(&device).unwrap();
        assert_eq!(device.download(kept).unwrap(), vec![nth as f32; LEN], "round {nth}");
        assert_eq!(device.download(second).unwrap(), vec![0.5; LEN], "round {nth}");
    }
}
