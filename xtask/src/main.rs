//! The commands that keep the workspace in order, run as `cargo xtask COMMAND`.
//!
//! `check` is what every change must pass and what continuous integration runs. [`check`] names its
//! steps in their order.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these commands print for the person who runs them"
)]

mod bench;
mod cargo;
mod check;
mod dist;
mod failure;
mod fuzz;
mod house;
mod licences;
mod reading;
mod sanitize;
mod site;
mod sizes;
mod systems;
mod testing;
mod texts;
mod wheel;

use failure::Failure;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  check [STEP …]   everything that a change must pass, or only the steps named:
                   format clippy floors dependencies circles flags thin statics lengths folders
                   kernels evidence words docs tests examples doctests
  test [--slow] [CRATE …]
                   the tests, those that can run here; with --slow the ignored ones as well
  sizes            lines of code by crate, without comments, tests and benchmarks
  bench [ARG …]    `veloxel bench ARG …` of a release build
  fuzz [SECONDS | build]
                   builds the fuzzing programs and runs them so long (20) for each file format and the plan of files
  systems          whether everything compiles for Windows and macOS, and the library for browsers, without any C
  sanitize         ThreadSanitizer over the kernels' threads; a planted data race must be found
  docs [--check] [PAGE …]
                   the site of documents, with every block of code and notebook run: target/site; with --check without
                   rustdoc's pages; of PAGEs (tasks/brain.md) only the blocks run
  dist             an archive of the release binary, completions, manual pages and licences
  wheel            the wheel of the Python package, with the licences of everything in it: target/wheels";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.split_first() {
        Some((&"check", steps)) => check::check(steps),
        Some((&"test", arguments)) => testing::test(arguments),
        Some((&"sizes", [])) => {
            sizes::by_crate(&cargo::workspace_root()).map(|sizes| print!("{}", sizes::table(&sizes)))
        }
        Some((&"bench", rest)) => bench::bench(rest),
        Some((&"fuzz", rest)) => fuzz::fuzz(rest),
        Some((&"systems", [])) => systems::systems(),
        Some((&"sanitize", [])) => sanitize::sanitize(),
        Some((&"docs", arguments)) => site::site(arguments),
        Some((&"dist", [])) => dist::dist(),
        Some((&"wheel", [])) => wheel::wheel(),
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
