//! Kernels on every device: against their processor texts, against definitions, and what only one kind of device has.

mod concurrent;
mod elements;
mod memory;
mod needs_cuda;
mod needs_wgpu;
mod operator;
mod parity;

veloxel_testkit::on_every_device! {
    /// `cargo xtask test` learns from this one which devices are here.
    fn opens(device: &Device) {
        let samples = device.upload(vec![0.5; 100]).and_then(|buffer| device.download(buffer));
        assert_eq!(samples.expect("a hundred samples find their place"), [0.5; 100]);
    }
}
