//! The test programs that need not run again: all their tests passed, and nothing that they run on has changed since.
//!
//! A program's mark is made from its own file and those it starts, from every file of the workspace that is no Rust source
//! (tests read tables, snapshots and pages), from the folder of data, and from the environment. The driver of a GPU is
//! not in it: `cargo xtask test` runs everything.

use crate::testing::programs::TestProgram;
use crate::{Failure, cargo};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A mark for each program that has one.
pub type Marks = BTreeMap<String, String>;

/// A package whose tests read all sources, so that they always run.
const ALWAYS: &str = "xtask";

/// The present marks of the programs, by their names; those that must always run have none.
///
/// `left_out` names the missing needs because of which some tests do not run.
pub fn marks(programs: &[TestProgram], left_out: &[&str]) -> Marks {
    let Some(files) = files_beside_sources() else { return Marks::new() };
    let mut around = DefaultHasher::new();
    left_out.hash(&mut around);
    files.iter().for_each(|file| mark_file(file, &mut around));
    let mut variables: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| matters(name)).collect();
    variables.sort();
    variables.hash(&mut around);
    if let Some(folder) = std::env::var_os("VELOXEL_DATA") {
        mark_folder(Path::new(&folder), &mut around);
    }
    let others = programs.iter().filter(|program| !program.id.starts_with(ALWAYS));
    others.map(|program| (program.id.clone(), mark(program, around.clone()))).collect()
}

/// The programs that passed with the marks that they have now; none without a record.
pub fn passed(marks: &Marks, record: &Path) -> Vec<String> {
    let text = fs::read_to_string(record).unwrap_or_default();
    let known: Marks = serde_json::from_str(&text).unwrap_or_default();
    marks.iter().filter(|(id, mark)| known.get(*id) == Some(mark)).map(|(id, _)| id.clone()).collect()
}

/// Records that all programs passed.
///
/// # Errors
/// The record cannot be written.
pub fn write(marks: &Marks, record: &Path) -> Result<(), Failure> {
    let text = serde_json::to_string(marks).expect("names and marks should be JSON");
    fs::write(record, text).map_err(|error| Failure(format!("cannot write {}: {error}", record.display())))
}

fn mark(program: &TestProgram, mut hasher: DefaultHasher) -> String {
    mark_file(&program.path, &mut hasher);
    program.starts.iter().for_each(|path| mark_file(path, &mut hasher));
    format!("{:016x}", hasher.finish())
}

fn matters(variable: &OsString) -> bool {
    let name = variable.to_string_lossy();
    ["VELOXEL_", "VIRTUAL_ENV", "VK_", "RUST", "PROPTEST_", "INSTA_"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Adds a file by its name, its length and the time of its last change.
fn mark_file(path: &Path, hasher: &mut DefaultHasher) {
    path.hash(hasher);
    let state = fs::metadata(path).and_then(|data| Ok((data.len(), data.modified()?)));
    state.ok().hash(hasher);
}

fn mark_folder(folder: &Path, hasher: &mut DefaultHasher) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { mark_folder(&path, hasher) } else { mark_file(&path, hasher) }
    }
}

/// The files of the workspace that git knows or would know, without Rust sources; `None` if git fails.
fn files_beside_sources() -> Option<Vec<PathBuf>> {
    let root = cargo::workspace_root();
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(&root);
    let output = git.output().ok().filter(|output| output.status.success())?;
    let names = String::from_utf8_lossy(&output.stdout);
    let others = names.split('\0').filter(|name| !name.is_empty() && !name.ends_with(".rs"));
    Some(others.map(|name| root.join(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_runs_again_when_it_or_what_it_starts_has_changed() {
        let folder = tempfile::tempdir().expect("a temporary folder should be possible");
        let [own, started, other] = ["own", "started", "other"].map(|name| folder.path().join(name));
        for path in [&own, &started, &other] {
            fs::write(path, "1").expect("should be writable");
        }
        let command = TestProgram {
            id: "cli::command".to_owned(),
            path: own,
            starts: vec![started.clone()],
            tests: vec![],
        };
        let core = TestProgram { id: "core".to_owned(), path: other.clone(), starts: vec![], tests: vec![] };
        let sources = TestProgram { id: "xtask::bin/xtask".to_owned(), ..core.clone() };
        let programs = [command, core, sources];
        let record = folder.path().join("record");
        assert_eq!(passed(&marks(&programs, &[]), &record), [""; 0], "nothing ran yet");
        assert!(write(&marks(&programs, &[]), &record).is_ok());
        assert_eq!(passed(&marks(&programs, &[]), &record), ["cli::command", "core"]);
        assert_eq!(passed(&marks(&programs, &["cuda"]), &record), [""; 0], "other tests run");
        fs::write(started, "22").expect("should be writable");
        assert_eq!(passed(&marks(&programs, &[]), &record), ["core"]);
        fs::write(other, "22").expect("should be writable");
        assert_eq!(passed(&marks(&programs, &[]), &record), [""; 0]);
        fs::write(&record, "no JSON").expect("should be writable");
        assert_eq!(passed(&marks(&programs, &[]), &record), [""; 0]);
    }

    #[test]
    fn files_beside_the_sources_are_watched() {
        let files = files_beside_sources().expect("the workspace should lie in git");
        let ends = |end: &str| files.iter().any(|file| file.ends_with(end));
        assert!(ends("README.md") && ends("Cargo.lock") && !ends("xtask/src/main.rs"));
    }
}
