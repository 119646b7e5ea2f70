//! Runs tests: their programs, what they need, and which have not changed since they passed.

mod needs;
mod programs;
pub mod runner;
mod unchanged;

use crate::Failure;
use runner::Selection;

/// `cargo xtask test`: the tests of the crates named, or of all, in view; with `--slow` first those that take minutes as well.
///
/// # Errors
/// A test fails, or something that `VELOXEL_REQUIRE` names is missing.
pub fn test(arguments: &[&str]) -> Result<(), Failure> {
    match arguments {
        ["--slow", packages @ ..] => runner::run_in_view(Selection::WithSlow, packages),
        packages => runner::run_in_view(Selection::Fast, packages),
    }
}
