//! ThreadSanitizer over the kernels that share memory between threads, and a check that it would find a race.
//!
//! `crates/kernels/src/threads.rs` holds what runs: the sweeps, the products and residuals, the gathers and the row splitter.
//! `sanitize.supp` lists reports that come only because the standard library comes compiled without the sanitizer.

use crate::Failure;
use crate::cargo::{run_quietly, stdout_of, target_folder, workspace_root};
use std::process::Command;

/// Flags of the compiler. The second one lets this code be linked with a standard library that is not instrumented; the last
/// one makes the queues of the thread pool work without fences, which the sanitizer does not see.
const FLAGS: &str =
    "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer --cfg crossbeam_sanitize_thread";
const TESTS: [&str; 11] = [
    // A race is the same race in code that is compiled in a third of the time.
    "--config",
    "profile.dev.package.veloxel-kernels.opt-level=1",
    "--package",
    "veloxel-kernels",
    "--no-default-features",
    "--lib",
    "--",
    "threads::",
    // The harness then runs the tests on the thread that starts the kernels.
    "--test-threads=1",
    "--color",
    "never",
];

/// Runs the tests clean, and once more with the sweeps in an order that has a data race.
///
/// # Errors
/// There is no nightly compiler (nothing is installed here); a race is found, or the planted one is not.
pub fn sanitize() -> Result<(), Failure> {
    let mut version = Command::new("rustup");
    version.args(["run", "nightly", "rustc", "-vV"]);
    let version = stdout_of(version).map_err(|Failure(text)| {
        Failure(format!(
            "{text}\nThreadSanitizer needs a nightly compiler: `rustup toolchain install nightly`"
        ))
    })?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Failure("`rustc -vV` names no host".to_owned()))?;
    let printed = run_quietly(tests(host, ""))?;
    let summary = printed.lines().rev().find(|line| line.starts_with("test result: ok. "));
    let summary = summary.filter(|line| !line.contains(" 0 passed"));
    let summary = summary.ok_or_else(|| Failure(format!("{printed}\nno test ran")))?;
    println!("no data race: {summary}");

    let mut planted = tests(host, "halt_on_error=1 ");
    planted.env("VELOXEL_PLANTED_RACE", "1");
    match run_quietly(planted) {
        Err(Failure(text)) if text.contains("WARNING: ThreadSanitizer: data race") => {
            println!("the planted data race is found");
            Ok(())
        }
        Err(failure) => Err(failure),
        Ok(_) => Err(Failure("ThreadSanitizer does not find the planted data race".to_owned())),
    }
}

/// The tests under the sanitizer, with more of its options.
fn tests(host: &str, options: &str) -> Command {
    let target = target_folder().join("sanitize");
    let suppressions = workspace_root().join("xtask/src/sanitize.supp");
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "test", "--target", host, "--target-dir"]).arg(target);
    command.args(TESTS).current_dir(workspace_root()).env("RUSTFLAGS", FLAGS);
    // Reports name lines.
    command.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    command.env("TSAN_OPTIONS", format!("{options}suppressions={}", suppressions.display()));
    command
}
