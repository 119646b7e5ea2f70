//! The command `veloxel` inside of the extension module: one file on disk for both.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs a command line, the program's name first, and ends the process with its exit code.
#[pyfunction]
pub fn run_command(py: Python<'_>, words: Vec<OsString>) {
    py.detach(|| {
        let code = veloxel_cli::run(words);
        std::process::exit(i32::from(code))
    })
}
