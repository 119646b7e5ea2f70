//! One test body, one test a device; and what else a test needs that not every machine has.

use std::path::PathBuf;

/// What a test needs.
///
/// # Panics
/// If it is not here. A test that may end so says what it needs by its name, and `cargo xtask test` leaves it out: the
/// name ends in `::cuda`, or a module around it is called `needs_cuda`; the same for `wgpu`, `nvrtc` and `data`.
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

/// Makes of every `fn name(device: &Device) { … }` three tests, `name::cpu`, `name::wgpu` and `name::cuda`.
///
/// A test fails where its device is not there: see [`here`]. The crate under test brings `veloxel_gpu::Device` along.
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
