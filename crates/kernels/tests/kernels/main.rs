//! Tests of kernels on every device: against their processor texts, against definitions, and of what only one kind of device
//! has.

mod concurrent;
mod elements;
mod memory;
mod needs_cuda;
mod needs_wgpu;
mod operator;
mod parity;

veloxel_testkit::on_every_device! {
    /// Shows that a device opens; `cargo xtask test` finds by this test which devices are present.
    fn opens(device: &Device) {
        let samples = device.upload(vec![0.5; 100]).and_then(|buffer| device.download(buffer));
        assert_eq!(samples.expect("a hundred samples find their place"), [0.5; 100]);
    }
}
