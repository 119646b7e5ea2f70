//! The commands that keep the workspace in order, run as `cargo xtask COMMAND`.
//!
//! `check` is what every change must pass and what continuous integration runs. Each of its steps is one file
//! here; [`check`] names them in their order.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these commands print for the person who runs them"
)]

mod allowed;
mod bench;
mod cargo;
mod check;
mod circles;
mod floors;
mod functions;
mod fuzz;
mod kernels;
mod lengths;
mod manifests;
mod modules;
mod names;
mod runner;
mod sources;
mod tokens;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  check [STEP …]   everything that a change must pass, or only the steps named:
                   format clippy floors circles lengths kernels docs doctests tests
  test [--slow]    the tests; with --slow the ignored ones as well
  bench [ARG …]    `veloxel bench ARG …` of a release build
  fuzz [SECONDS]   builds the fuzzing program and runs it so long (20) for each file format";

/// Why a command stopped: the text for standard error.
struct Failure(String);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.split_first() {
        Some((&"check", steps)) => check::check(steps),
        Some((&"test", [])) => runner::run_in_view(runner::Selection::Fast),
        Some((&"test", ["--slow"])) => runner::run_in_view(runner::Selection::WithSlow),
        Some((&"bench", rest)) => bench::bench(rest),
        Some((&"fuzz", rest)) => fuzz::fuzz(rest),
        Some((&("help" | "--help" | "-h"), [])) => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(text)) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
