//! The program `veloxel`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(veloxel_cli::run(std::env::args_os()))
}
