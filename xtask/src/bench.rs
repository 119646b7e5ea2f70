//! The benchmarks, which are a command of the product itself.

use crate::{Failure, cargo};

/// Builds the release binary and runs `veloxel bench` with the arguments given.
///
/// # Errors
/// The build or the benchmark fails.
pub fn bench(arguments: &[&str]) -> Result<(), Failure> {
    let fixed = ["run", "--release", "--package", "veloxel-cli", "--", "bench"];
    cargo::run_in_view(cargo::cargo(&[&fixed[..], arguments].concat()))
}
