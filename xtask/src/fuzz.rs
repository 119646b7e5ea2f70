//! Fuzzing of every reader, by one program that is run for each format of the table in turn and another one for each kind of
//! tables and transforms, and of the plan of a job's files, by a program of its own; two of them run at a time.
//!
//! The first two programs write small whole files to begin with, in a folder for each format, so their own tables are the list of
//! what is fuzzed. `fuzz/corpus` holds files that caused failures before, `fuzz/dictionaries` the words of formats. Inputs
//! that a run finds interesting stay in the target folder, and the next run begins with them too.

use crate::Failure;
use crate::cargo::{run_quietly, target_folder, workspace_root};
use crate::reading::sources;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const DEFAULT_SECONDS: u32 = 20;
/// Number of formats that are fuzzed at a time.
const AT_ONCE: usize = 2;
/// Limits of memory and time: a reader that exceeds them for a small file breaks its promise.
const LIMITS: [&str; 2] = ["-rss_limit_mb=1024", "-timeout=10"];
/// The program that is fuzzed for each format.
const FORMATS: &str = "formats";
/// The program that is fuzzed for each kind of tables and transforms.
const TABLES: &str = "tables";
/// The program for the plan, and its name.
const PLAN: &str = "plan";

/// Builds the programs, and runs them this many seconds for each format; with `build` it only builds them.
///
/// # Errors
/// A tool is missing (nothing is installed here), the program does not build, or a reader breaks its promise.
pub fn fuzz(arguments: &[&str]) -> Result<(), Failure> {
    let seconds = match arguments {
        [] => Ok(DEFAULT_SECONDS),
        ["build"] => return Fuzzing::build(DEFAULT_SECONDS).map(drop),
        [text] => text.parse(),
        _ => return Err(Failure("usage: cargo xtask fuzz [SECONDS | build]".to_owned())),
    };
    let seconds = seconds.map_err(|_| Failure("cargo xtask fuzz: SECONDS is a whole number".to_owned()))?;
    let fuzzing = Fuzzing::build(seconds)?;
    let mut targets = fuzzing.targets()?;
    println!("{} formats and the plan, {seconds} s each", targets.len());
    targets.push(FuzzTarget { program: PLAN, name: PLAN.to_owned() });
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = &target.name;
                    match fuzzing.run(target) {
                        Ok(summary) => println!("{name:<22} {summary}"),
                        Err(Failure(text)) => {
                            println!("{name:<22} FAILED");
                            failures.lock().expect("no thread should panic").push(text);
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no thread should panic");
    if failures.is_empty() { Ok(()) } else { Err(Failure(failures.join("\n"))) }
}

/// What is fuzzed by itself.
struct FuzzTarget {
    program: &'static str,
    /// The format, or the kind of tables.
    name: String,
}

/// The built programs, and where they work.
struct Fuzzing {
    programs: PathBuf,
    folder: PathBuf,
    seconds: u32,
}

impl Fuzzing {
    fn build(seconds: u32) -> Result<Self, Failure> {
        let nightly = |arguments: &[&str]| {
            let mut command = Command::new("rustup");
            command.args(["run", "nightly", "cargo", "fuzz"]).args(arguments).current_dir(workspace_root());
            command
        };
        run_quietly(nightly(&["--version"])).map_err(|Failure(text)| {
            let install = "`rustup toolchain install nightly` and `cargo install cargo-fuzz --locked`";
            Failure(format!("{text}\nfuzzing needs a nightly compiler and cargo-fuzz: {install}"))
        })?;
        let folder = target_folder().join("fuzz");
        let mut build = nightly(&["build", "--target-dir"]);
        build.arg(&folder);
        run_quietly(build)?;
        let built = subfolders(&folder)?.into_iter().map(|triple| folder.join(triple).join("release"));
        let programs = built
            .into_iter()
            .find(|built| [FORMATS, TABLES, PLAN].iter().all(|name| built.join(name).is_file()));
        let programs =
            programs.ok_or_else(|| Failure(format!("{}: no program was built", folder.display())))?;
        Ok(Self { programs, folder, seconds })
    }

    /// Makes the programs write complete files to begin with; their folders are named as the formats are.
    fn targets(&self) -> Result<Vec<FuzzTarget>, Failure> {
        let mut targets = Vec::new();
        for program in [FORMATS, TABLES] {
            let seeds = self.folder.join("seeds").join(program);
            let mut write = Command::new(self.programs.join(program));
            write.env("VELOXEL_FUZZ_SEEDS", &seeds);
            run_quietly(write)?;
            targets.extend(subfolders(&seeds)?.into_iter().map(|name| FuzzTarget { program, name }));
        }
        Ok(targets)
    }

    /// Fuzzes one target, and says how many inputs were tried.
    fn run(&self, target: &FuzzTarget) -> Result<String, Failure> {
        let FuzzTarget { program, name: format } = target;
        let folder = |name: &str| self.folder.join(name).join(program).join(format);
        let (found, failed) = (folder("found"), folder("failed"));
        let seeds = folder("seeds");
        for folder in [&found, &failed, &seeds] {
            fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
        }
        let program = self.programs.join(program);
        let mut command = Command::new(&program);
        command.env("VELOXEL_FUZZ_FORMAT", format).args(LIMITS);
        let own = |kind: &str, name: &str| workspace_root().join("fuzz").join(kind).join(name);
        let dictionary = own("dictionaries", &format!("{format}.dict"));
        if dictionary.is_file() {
            command.arg(format!("-dict={}", dictionary.display()));
        }
        command.arg(format!("-max_total_time={}", self.seconds));
        command.arg(format!("-artifact_prefix={}/", failed.display()));
        command.args([found, seeds]);
        let corpus = own("corpus", format);
        if corpus.is_dir() {
            command.arg(corpus);
        }
        match run_quietly(command) {
            Ok(printed) => {
                let done = printed.lines().rev().find(|line| line.starts_with("Done "));
                Ok(done.unwrap_or("ended without a summary").to_owned())
            }
            Err(Failure(text)) => {
                let end = text.lines().rev().take(40).collect::<Vec<_>>().into_iter().rev();
                let end = end.collect::<Vec<_>>().join("\n");
                let program = program.display();
                let again = format!("VELOXEL_FUZZ_FORMAT={format} {program} FILE");
                Err(Failure(format!(
                    "{end}\n{format}: the input is in {}; run it again with `{again}`",
                    failed.display()
                )))
            }
        }
    }
}

/// The names of the folders in a folder, in order.
fn subfolders(folder: &Path) -> Result<Vec<String>, Failure> {
    let name = |folder: PathBuf| folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(sources::folders(folder)?.into_iter().map(name).collect())
}

fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_a_whole_number() {
        for arguments in [&["soon"][..], &["-1"], &["1", "2"]] {
            assert!(fuzz(arguments).is_err(), "{arguments:?}");
        }
    }

    #[test]
    fn folders_are_listed_in_order() {
        let folder = tempfile::tempdir().expect("a temporary folder should be possible");
        for name in ["b", "a"] {
            fs::create_dir(folder.path().join(name)).expect("a folder should be possible");
        }
        fs::write(folder.path().join("c"), "").expect("a file should be possible");
        assert_eq!(subfolders(folder.path()).ok().expect("the folder is there"), ["a", "b"]);
    }
}
