//! What only a device of wgpu can show.

use super::WgpuDevice;
use crate::Device;
use crate::kernels::pointwise::{copy, map_affine};
use std::sync::Arc;

/// The device, or none where there is no adapter and nobody requires one.
fn wgpu() -> Option<Device> {
    match WgpuDevice::open(("wgpu", 0)) {
        Ok(device) => Some(Device::of_gpu(Arc::new(device))),
        Err(error) => {
            let required = std::env::var("VELOXEL_REQUIRE").is_ok_and(|r| r.split(',').any(|r| r == "wgpu"));
            assert!(!required, "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

const LEN: usize = 5000;

#[test]
fn uploads_do_not_touch_what_launches_still_use() {
    let Some(device) = wgpu() else { return };
    for nth in 0..20 {
        let first = device.upload(vec![nth as f32; LEN]).unwrap();
        let mut kept = device.scratch(LEN).unwrap();
        copy(&device, &first, &mut kept).unwrap();
        drop(first);
        let second = device.upload(vec![-1.0; LEN]).unwrap();
        assert_eq!(device.download(kept).unwrap(), vec![nth as f32; LEN], "round {nth}");
        drop(second);
    }
}

#[test]
fn memory_that_is_used_again_is_zero_where_zeros_are_asked_for() {
    let Some(device) = wgpu() else { return };
    for nth in 0..20 {
        let mut first = device.zeros(LEN).unwrap();
        map_affine(&device, (1.0, nth as f32), &mut first).unwrap();
        let mut kept = device.scratch(LEN).unwrap();
        copy(&device, &first, &mut kept).unwrap();
        drop(first);
        let mut second = device.zeros(LEN).unwrap();
        map_affine(&device, (1.0, 0.5), &mut second).unwrap();
        assert_eq!(device.download(kept).unwrap(), vec![nth as f32; LEN], "round {nth}");
        assert_eq!(device.download(second).unwrap(), vec![0.5; LEN], "round {nth}");
    }
}
