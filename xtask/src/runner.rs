//! Runs the tests with cargo-nextest where it is installed, else with `cargo test`.
//!
//! Both leave out the documentation tests, which nextest cannot run and the check has as a step of its own.

use crate::{Failure, cargo};
use std::process::Command;

/// Which tests to run.
#[derive(Clone, Copy)]
pub enum Selection {
    /// Those that take less than 2 s each.
    Fast,
    /// The ignored ones as well: real volumes, whole benchmarks.
    WithSlow,
}

/// A run in which all tests passed.
pub struct Outcome {
    /// `nextest` or `cargo test`.
    pub runner: &'static str,
    /// The runner's own summary; of `cargo test`, which prints one for every binary, their sum in its own form.
    pub summary: String,
}

/// Runs the fast tests and keeps what they print.
///
/// # Errors
/// A test fails or does not compile; the runner ran nothing.
pub fn run_quietly() -> Result<Outcome, Failure> {
    let (runner, command) = command(Selection::Fast);
    let printed = cargo::run_quietly(command)?;
    summary_of_nextest(&printed)
        .or_else(|| sum_of_summaries(&printed))
        .map(|summary| Outcome { runner, summary })
        .ok_or_else(|| Failure(format!("{}\n{runner} ran no test", printed.trim_end())))
}

/// Runs the tests with their output on the terminal.
///
/// # Errors
/// A test fails or does not compile.
pub fn run_in_view(selection: Selection) -> Result<(), Failure> {
    cargo::run_in_view(command(selection).1)
}

fn command(selection: Selection) -> (&'static str, Command) {
    if cargo::run_quietly(cargo::cargo(&["nextest", "--version"])).is_ok() {
        let mut command = cargo::cargo(&["nextest", "run", "--workspace"]);
        match selection {
            Selection::Fast => {}
            Selection::WithSlow => {
                command.args(["--profile", "slow", "--run-ignored", "all"]);
            }
        }
        ("nextest", command)
    } else {
        let mut command = cargo::cargo(&["test", "--workspace", "--tests", "--no-fail-fast"]);
        match selection {
            Selection::Fast => {}
            Selection::WithSlow => {
                command.args(["--", "--include-ignored"]);
            }
        }
        ("cargo test", command)
    }
}

fn summary_of_nextest(printed: &str) -> Option<String> {
    let line = printed.lines().rev().find(|line| line.trim_start().starts_with("Summary ["))?;
    Some(line.trim().to_owned())
}

/// The sum of the lines `test result: ok. 3 passed; 0 failed; …` that `cargo test` prints, one for each binary.
pub fn sum_of_summaries(printed: &str) -> Option<String> {
    let mut counts: Vec<(usize, &str)> = Vec::new();
    for line in printed.lines().filter_map(|line| line.strip_prefix("test result: ok. ")) {
        // The last part is the time.
        let parts = line.split("; ").filter_map(|part| part.split_once(' '));
        for (count, what) in parts.filter_map(|(count, what)| Some((count.parse::<usize>().ok()?, what))) {
            match counts.iter_mut().find(|known| known.1 == what) {
                Some(known) => known.0 += count,
                None => counts.push((count, what)),
            }
        }
    }
    let parts: Vec<String> = counts.iter().map(|(count, what)| format!("{count} {what}")).collect();
    (!parts.is_empty()).then(|| format!("test result: ok. {}", parts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_nextest_is_found_behind_its_notes() {
        let printed = "     Summary [   0.7s] 2 tests run: 1 passed, 1 failed\n\
                       ────────────\n     Summary [   9.1s] 3 tests run: 3 passed, 1 skipped\n   SLOW [> 2s] a\n";
        let found = summary_of_nextest(printed);
        assert_eq!(found.as_deref(), Some("Summary [   9.1s] 3 tests run: 3 passed, 1 skipped"));
        assert_eq!(summary_of_nextest("nothing of the kind"), None);
    }

    #[test]
    fn summaries_of_binaries_are_added() {
        let printed = "running 4 tests\n\
            test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.05s\n\
            test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 1.25s\n";
        let sum = "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out";
        assert_eq!(sum_of_summaries(printed).as_deref(), Some(sum));
        assert_eq!(sum_of_summaries("no test"), None);
    }
}
