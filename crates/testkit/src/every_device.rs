//! One test body, one test a device.

#![allow(clippy::print_stderr, reason = "a test that is skipped says why")]

/// Whether a device must be there: `VELOXEL_REQUIRE` names it (`VELOXEL_REQUIRE=wgpu`, or `wgpu,cuda`).
pub fn required(device: &str) -> bool {
    std::env::var("VELOXEL_REQUIRE").is_ok_and(|names| names.split(',').any(|name| name.trim() == device))
}

/// Opens a device for a test, or says why the test is skipped.
///
/// # Panics
/// If it is [`required`] and cannot be opened.
pub fn open_or_skip<D, E: std::fmt::Display>(
    name: &str,
    open: impl FnOnce(&str) -> Result<D, E>,
) -> Option<D> {
    match open(name) {
        Ok(device) => Some(device),
        Err(error) if required(name) => panic!("VELOXEL_REQUIRE asks for {name}: {error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// Makes of every `fn name(device: &Device) { … }` three tests, `name::cpu`, `name::wgpu` and `name::cuda`.
///
/// A device that is not there skips its test with the reason printed, unless `VELOXEL_REQUIRE` names it.
/// The crate under test brings `veloxel_gpu::Device` along.
#[macro_export]
macro_rules! on_every_device {
    ($($(#[$attribute:meta])* fn $name:ident($device:ident: &Device) $body:block)*) => {$(
        mod $name {
            #[allow(unused_imports, reason = "bodies use what they need of the file's names")]
            use super::*;

            $(#[$attribute])*
            fn body($device: &veloxel_gpu::Device) $body

            fn on(name: &str) {
                let open = |name: &str| veloxel_gpu::Device::named(name, 2);
                if let Some(device) = $crate::every_device::open_or_skip(name, open) {
                    body(&device);
                }
            }
            #[test]
            fn cpu() {
                on("cpu");
            }
            #[test]
            fn wgpu() {
                on("wgpu");
            }
            #[test]
            fn cuda() {
                on("cuda");
            }
        }
    )*};
}
