//! The steps that every change must pass, in the order in which mistakes are cheapest to find. Tests are compiled before the
//! documentation's examples, which need a part of the same: in one build no core waits for the library at the end of the chain.
//!
//! Each step prints one line with its time. The first failure prints what it found and stops the rest.

mod alive;
mod present;

use crate::house::circles::Circle;
use crate::house::{
    allowed, circles, dependencies, floors, folders, kernels, lengths, manifests, statics, thin,
};
use crate::testing::{examples, runner};
use crate::texts::{evidence, flags, words};
use crate::{Failure, cargo};
use std::time::Instant;

/// The result of a step that passed.
#[derive(Default)]
pub struct Passed {
    /// A few words for the step's line.
    pub summary: String,
    /// Lines that are no failure, printed below the step's line.
    pub notices: Vec<String>,
    /// The last line of the whole check, if this step gives it: the summary of the test runner.
    pub closing: Option<String>,
}

/// One step of the check.
struct Step {
    name: &'static str,
    run: fn() -> Result<Passed, Failure>,
    /// Advice that is printed when it fails.
    advice: &'static str,
}

const STEPS: [Step; 17] = [
    Step { name: "format", run: format, advice: "run `cargo fmt --all`" },
    Step { name: "clippy", run: clippy, advice: "mend the lints above" },
    Step {
        name: "floors",
        run: floors_step,
        advice: "move the code to the floor that may use it, or change the table in xtask/src/house/floors.rs \
                 and ARCHITECTURE.md together",
    },
    Step {
        name: "dependencies",
        run: dependencies_step,
        advice: "remove it, or move it to where it is used and versioned",
    },
    Step { name: "circles", run: circles_step, advice: "move what both files use into a third" },
    Step {
        name: "flags",
        run: flags_step,
        advice: "say what is missing, and let the command name its flag: an error's hint",
    },
    Step { name: "thin", run: thin_step, advice: "move it into a pipeline" },
    Step {
        name: "statics",
        run: statics_step,
        advice: "let a session own it; what decides nothing gets a row in docs/design/process_wide.md",
    },
    Step { name: "lengths", run: lengths_step, advice: "split it: one idea a file, one step a function" },
    Step { name: "folders", run: folders_step, advice: "give what belongs together a folder of its own" },
    Step { name: "kernels", run: kernels_step, advice: "give the kernel its mod.rs with a `//!` page" },
    Step { name: "evidence", run: evidence_step, advice: "name what is there" },
    Step { name: "words", run: words_step, advice: "begin with a sentence of its own" },
    Step { name: "docs", run: docs, advice: "mend the documentation" },
    Step { name: "tests", run: tests, advice: "mend what the tests above show" },
    Step {
        name: "examples",
        run: examples_step,
        advice: "mend the example, or what its head says that it prints",
    },
    Step { name: "doctests", run: doctests_step, advice: "mend the examples in the documentation" },
];

/// Runs the steps named, or all of [`STEPS`].
///
/// # Errors
/// A step is unknown, a program is missing that one of the steps needs, or a step fails; the steps after it do not run.
pub fn check(names: &[&str]) -> Result<(), Failure> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(Failure(format!(
            "cargo xtask check: no step `{unknown}`; the steps are {}",
            known.join(" ")
        )));
    }
    let mut closing = None;
    let asked: Vec<&Step> = match names {
        [] => STEPS.iter().collect(),
        names => STEPS.iter().filter(|step| names.contains(&step.name)).collect(),
    };
    let asked_names: Vec<&str> = asked.iter().map(|step| step.name).collect();
    let missing = present::missing(&asked_names);
    if !missing.is_empty() {
        return Err(Failure(format!("cargo xtask check: missing here\n{}", missing.join("\n"))));
    }
    for step in asked {
        let start = Instant::now();
        let outcome = alive::telling(step.name, step.run);
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(passed) => {
                println!("{}", format!("passed {seconds:6.1} s   {}", passed.summary).trim_end());
                passed.notices.iter().for_each(|notice| println!("          notice: {notice}"));
                closing = passed.closing.or(closing);
            }
            Err(Failure(found)) => {
                println!("FAILED {seconds:6.1} s");
                return Err(Failure(format!(
                    "{found}\ncargo xtask check stopped at {}: {}",
                    step.name, step.advice
                )));
            }
        }
    }
    if let Some(line) = closing {
        println!("{line}");
    }
    Ok(())
}

fn format() -> Result<Passed, Failure> {
    cargo::run_quietly(cargo::cargo(&["fmt", "--all", "--", "--check", "--color", "never"]))?;
    Ok(Passed::default())
}

fn clippy() -> Result<Passed, Failure> {
    let arguments =
        ["clippy", "--quiet", "--keep-going", "--workspace", "--all-targets", "--", "-D", "warnings"];
    cargo::run_quietly(cargo::cargo(&arguments))?;
    Ok(Passed::default())
}

fn floors_step() -> Result<Passed, Failure> {
    let crates = manifests::workspace_crates()?;
    let refused = floors::refusals(&crates);
    let dependencies: usize = crates.iter().map(|each| each.dependencies.len()).sum();
    passed_unless(refused, format!("{} crates, {dependencies} dependencies", crates.len()))
}

fn dependencies_step() -> Result<Passed, Failure> {
    let crates = manifests::workspace_crates()?;
    passed_unless(dependencies::refusals(&cargo::workspace_root(), &crates)?, String::new())
}

fn lengths_step() -> Result<Passed, Failure> {
    let lengths = lengths::measure(&cargo::workspace_root())?;
    passed_unless(allowed::refused("lengths", &lengths.offences)?, lengths.summary)
}

fn folders_step() -> Result<Passed, Failure> {
    let folders = folders::count(&cargo::workspace_root())?;
    passed_unless(allowed::refused("folders", &folders.offences)?, folders.summary)
}

fn circles_step() -> Result<Passed, Failure> {
    let circles: Vec<_> = circles::find(&cargo::workspace_root())?.iter().map(Circle::offence).collect();
    passed_unless(allowed::refused("circles", &circles)?, format!("{} circles of imports", circles.len()))
}

fn kernels_step() -> Result<Passed, Failure> {
    let kernels = kernels::inspect(&cargo::workspace_root())?;
    passed_unless(kernels.incomplete, format!("{} kernels", kernels.count))
}

fn evidence_step() -> Result<Passed, Failure> {
    let evidence = evidence::inspect(&cargo::workspace_root())?;
    passed_unless(evidence.dead, format!("{} files and tests named", evidence.named))
}

fn flags_step() -> Result<Passed, Failure> {
    passed_unless(counted(flags::refusals(&cargo::workspace_root())?), String::new())
}

fn thin_step() -> Result<Passed, Failure> {
    passed_unless(counted(thin::refusals(&cargo::workspace_root())?), String::new())
}

fn statics_step() -> Result<Passed, Failure> {
    passed_unless(counted(statics::refusals(&cargo::workspace_root())?), String::new())
}

fn words_step() -> Result<Passed, Failure> {
    passed_unless(counted(words::refusals(&cargo::workspace_root())?), String::new())
}

/// The lines, and behind them their number.
fn counted(mut lines: Vec<String>) -> Vec<String> {
    if !lines.is_empty() {
        lines.push(format!("{} in all", lines.len()));
    }
    lines
}

/// Builds the documentation of the libraries alone: the command's binary has the name of a library, and the two pages would
/// overwrite each other.
fn docs() -> Result<Passed, Failure> {
    let mut command = cargo::cargo(&["doc", "--quiet", "--keep-going", "--workspace", "--no-deps", "--lib"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    cargo::run_quietly(command)?;
    Ok(Passed::default())
}

fn examples_step() -> Result<Passed, Failure> {
    examples::run_all().map(|count| Passed { summary: format!("{count} examples"), ..Passed::default() })
}

/// Runs the documentation's examples of the crates that have some: rustdoc reads a whole crate to find none.
fn doctests_step() -> Result<Passed, Failure> {
    // The whole workspace: of fewer packages the features differ, and everything below them is compiled once more.
    let printed = cargo::run_quietly(cargo::cargo(&["test", "--doc", "--workspace"]))?;
    Ok(Passed { summary: runner::sum_of_summaries(&printed).unwrap_or_default(), ..Passed::default() })
}

fn tests() -> Result<Passed, Failure> {
    let outcome = runner::run_quietly()?;
    Ok(Passed { notices: outcome.skipped, closing: Some(outcome.summary), ..Passed::default() })
}

fn passed_unless(refused: Vec<String>, summary: String) -> Result<Passed, Failure> {
    if refused.is_empty() {
        Ok(Passed { summary, ..Passed::default() })
    } else {
        Err(Failure(refused.join("\n")))
    }
}
