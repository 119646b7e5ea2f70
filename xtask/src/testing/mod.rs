//! Runs tests, with their programs and their needs; programs that passed and have not changed do not run again.

pub mod examples;
mod needs;
mod programs;
pub mod runner;
mod unchanged;

use crate::Failure;
use runner::Selection;

/// Runs `cargo xtask test`: the tests of the crates named, or of all, in view; with `--slow` also the tests that take minutes.
///
/// # Errors
/// A test fails, or something that `VELOXEL_REQUIRE` names is missing.
pub fn test(arguments: &[&str]) -> Result<(), Failure> {
    match arguments {
        ["--slow", packages @ ..] => runner::run_in_view(Selection::WithSlow, packages),
        packages => runner::run_in_view(Selection::Fast, packages),
    }
}
