//! The test programs of the workspace, as `cargo nextest list` compiles and names them.

use crate::{Failure, cargo};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One program of tests: a library's own tests, or a file of its folder `tests`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestProgram {
    /// Its name in expressions of nextest: `veloxel-cli::command`.
    pub id: String,
    /// Path of the program.
    pub path: PathBuf,
    /// Programs of the same package, which its tests may start.
    pub starts: Vec<PathBuf>,
    /// The full names of its tests.
    pub tests: Vec<String>,
}

/// Compiles the tests of the packages and lists their programs.
///
/// # Errors
/// A test does not compile, or nextest answers in another form.
pub fn compile(packages: &[&str]) -> Result<Vec<TestProgram>, Failure> {
    let list = ["nextest", "list", "--ignore-default-filter", "--message-format", "json"];
    let printed = cargo::stdout_of(cargo::cargo(&[&list[..], packages].concat()))?;
    programs_in(&printed)
        .ok_or_else(|| Failure("`cargo nextest list` answered in an unknown form".to_owned()))
}

fn programs_in(list: &str) -> Option<Vec<TestProgram>> {
    let list: Value = serde_json::from_str(list).ok()?;
    let build = &list["rust-build-meta"];
    let folder = Path::new(build["target-directory"].as_str()?);
    let mut programs = Vec::new();
    for (id, suite) in list["rust-suites"].as_object()? {
        let started = build["non-test-binaries"][suite["package-id"].as_str()?].as_array();
        let paths = started.into_iter().flatten().filter_map(|program| program["path"].as_str());
        programs.push(TestProgram {
            id: id.clone(),
            path: suite["binary-path"].as_str()?.into(),
            starts: paths.map(|path| folder.join(path)).collect(),
            tests: suite["testcases"].as_object()?.keys().cloned().collect(),
        });
    }
    Some(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_listed_with_their_tests_and_what_they_start() {
        let list = r#"{
            "rust-build-meta": {"target-directory": "/t", "non-test-binaries": {"cli 1": [{"path": "debug/veloxel"}]}},
            "rust-suites": {
                "cli::command": {"package-id": "cli 1", "binary-path": "/a", "testcases": {"b::cuda": {}, "c": {}}},
                "core": {"package-id": "core 1", "binary-path": "/b", "testcases": {}}}}"#;
        let command = TestProgram {
            id: "cli::command".to_owned(),
            path: "/a".into(),
            starts: vec!["/t/debug/veloxel".into()],
            tests: ["b::cuda", "c"].map(str::to_owned).to_vec(),
        };
        let core = TestProgram { id: "core".to_owned(), path: "/b".into(), ..TestProgram::default() };
        assert_eq!(programs_in(list), Some(vec![command, core]));
        assert_eq!(programs_in("{}"), None);
    }
}
