//! Runs the tests with cargo-nextest, which ends those that hang; tests that cannot run here are left out before the run.

use crate::testing::needs::{self, Missing};
use crate::testing::{programs, unchanged};
use crate::{Failure, cargo};
use std::process::Command;

/// The tests to run.
#[derive(Clone, Copy)]
pub enum Selection {
    /// Tests that take less than 2 s each.
    Fast,
    /// The ignored tests too: real volumes, whole benchmarks.
    WithSlow,
}

/// A run in which all tests passed.
pub struct Outcome {
    /// A line for each reason why tests were left out, with their number.
    pub skipped: Vec<String>,
    /// The runner's own summary.
    pub summary: String,
}

/// Runs the fast tests of the workspace and keeps what they print; programs of tests that passed before and have not
/// changed do not run again.
///
/// # Errors
/// A test fails or does not compile; there is no test; `VELOXEL_REQUIRE` names something that is missing.
pub fn run_quietly() -> Result<Outcome, Failure> {
    let everything = ["--workspace"];
    let programs = compile(&everything)?;
    let missing = needs::missing(&programs)?;
    let left_out: Vec<&str> = missing.iter().map(|missing| missing.name).collect();
    let marks = unchanged::marks(&programs, &left_out);
    let record = cargo::target_folder().join("xtask-passed.json");
    let passed = unchanged::passed(&marks, &record);
    let mut filter = needs::filter(&missing);
    passed.iter().for_each(|id| filter += &format!(" and not binary_id(={id})"));
    let printed = cargo::run_quietly(nextest(&filter, &everything))?;
    unchanged::write(&marks, &record)?;
    let summary = summary(&printed)
        .ok_or_else(|| Failure(format!("{}\nnextest printed no summary", printed.trim_end())))?;
    let mut skipped: Vec<String> = missing.iter().map(shown).collect();
    if !passed.is_empty() {
        skipped.push(format!(
            "{} of {} programs of tests passed before and have not changed; `cargo xtask test` runs all",
            passed.len(),
            programs.len()
        ));
    }
    Ok(Outcome { skipped, summary })
}

/// Runs the tests of the packages, or of all, with their output on the terminal.
///
/// # Errors
/// As [`run_quietly`].
pub fn run_in_view(selection: Selection, packages: &[&str]) -> Result<(), Failure> {
    let options: Vec<&str> = packages.iter().flat_map(|name| ["--package", name]).collect();
    let options = if options.is_empty() { vec!["--workspace"] } else { options };
    let missing = needs::missing(&compile(&options)?)?;
    missing.iter().for_each(|missing| println!("{}", shown(missing)));
    let mut command = nextest(&needs::filter(&missing), &options);
    match selection {
        Selection::Fast => {}
        Selection::WithSlow => {
            command.args(["--profile", "slow", "--run-ignored", "all"]);
        }
    }
    cargo::run_in_view(command)
}

fn compile(packages: &[&str]) -> Result<Vec<programs::TestProgram>, Failure> {
    cargo::run_quietly(cargo::cargo(&["nextest", "--version"])).map_err(|Failure(text)| {
        Failure(format!("{text}\nthe tests need cargo-nextest: `cargo install --locked cargo-nextest`"))
    })?;
    programs::compile(packages)
}

fn nextest(filter: &str, packages: &[&str]) -> Command {
    let mut command = cargo::cargo(&["nextest", "run", "--ignore-default-filter", "-E", filter]);
    command.args(packages);
    command
}

fn shown(Missing { name, reason, tests }: &Missing) -> String {
    format!("{tests} tests that need {name} are skipped: {reason}")
}

fn summary(printed: &str) -> Option<String> {
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
        let found = summary(printed);
        assert_eq!(found.as_deref(), Some("Summary [   9.1s] 3 tests run: 3 passed, 1 skipped"));
        assert_eq!(summary("nothing of the kind"), None);
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
