//! One test body, one test a device; and other needs of tests that not every machine meets.

use std::path::PathBuf;

/// Returns what a test needs, once it was opened.
///
/// # Panics
/// If it could not be opened. A test that needs something says so in its name, and `cargo xtask test` leaves it out where that
/// is missing: the name ends in `::cuda`, or a module around it is called `needs_cuda`; the same holds for `wgpu`, `nvrtc` and
/// `data`.
pub fn here<T, E: std::fmt::Display>(name: &str, opened: Result<T, E>) -> T {
    opened.unwrap_or_else(|error| {
        panic!("{name} is not here: {error}\n`cargo xtask test` leaves out the tests that need it")
    })
}

/// A path in the folder that `VELOXEL_DATA` names, for tests in a module `needs_data`.
///
/// # Panics
/// If the variable is not set, or nothing is at the path.
pub fn data(path: &str) -> PathBuf {
    let path = here("data", std::env::var("VELOXEL_DATA").map(|folder| PathBuf::from(folder).join(path)));
    assert!(path.exists(), "data is not here: {}", path.display());
    path
}

/// Makes three tests of every `fn name(device: &Device) { … }`: `name::cpu`, `name::wgpu` and `name::cuda`.
///
/// A test fails where its device is missing: see [`here`]. The crate under test brings `veloxel_gpu::Device` along.
#[macro_export]
macro_rules! on_every_device {
    ($($(#[$attribute:meta])* fn $name:ident($device:ident: &Device) $body:block)*) => {$(
        mod $name {
            #[allow(unused_imports, reason = "bodies use what they need of the file's names")]
            use super::*;

            $(#[$attribute])*
            fn body($device: &veloxel_gpu::Device) $body

            fn on(name: &str) {
                body(&$crate::every_device::here(name, veloxel_gpu::Device::named(name, 2)));
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
