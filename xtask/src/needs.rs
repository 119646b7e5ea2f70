//! What some tests need and not every machine has: finds what is missing here, and which tests need it.
//!
//! A test says by its name what it needs: the name ends in `::wgpu`, as `on_every_device!` makes it, or in `_wgpu`, or one
//! of the modules around it is `needs_wgpu`.

use crate::{Failure, cargo};
use serde_json::Value;
use std::process::Command;

/// Something that not every machine has.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// Its name in those of tests and in `VELOXEL_REQUIRE`.
    pub name: &'static str,
    /// Why it is missing.
    pub reason: String,
    /// How many tests need it.
    pub tests: usize,
}

const NEEDS: [&str; 4] = ["wgpu", "cuda", "nvrtc", DATA];
/// The folder that `VELOXEL_DATA` names.
const DATA: &str = "data";

/// One test of `cargo nextest list`.
struct Test {
    name: String,
    program: String,
}

/// Compiles the tests and tells what some of them need and what is missing here.
///
/// # Errors
/// A test does not compile, or `VELOXEL_REQUIRE` names something that is missing.
pub fn missing(packages: &[&str]) -> Result<Vec<Missing>, Failure> {
    let list = ["nextest", "list", "--ignore-default-filter", "--message-format", "json"];
    let printed = cargo::stdout_of(cargo::cargo(&[&list[..], packages].concat()))?;
    let tests = tests_in(&printed)
        .ok_or_else(|| Failure("`cargo nextest list` answered in an unknown form".to_owned()))?;
    let mut found = Vec::new();
    for name in NEEDS {
        let users = tests.iter().filter(|test| needs(&test.name, name)).count();
        let reason = if users == 0 { None } else { reason_missing(name, &tests) };
        found.extend(reason.map(|reason| Missing { name, reason, tests: users }));
    }
    let required = std::env::var("VELOXEL_REQUIRE").unwrap_or_default();
    match found.iter().find(|missing| required.split(',').any(|name| name.trim() == missing.name)) {
        Some(Missing { name, reason, .. }) => {
            Err(Failure(format!("VELOXEL_REQUIRE asks for {name}: {reason}")))
        }
        None => Ok(found),
    }
}

/// The expression that makes nextest leave out the tests which need what is missing.
pub fn filter(missing: &[Missing]) -> String {
    let pattern = |missing: &Missing| format!("test(/(::|_){0}$|(^|::)needs_{0}::/)", missing.name);
    let patterns: Vec<String> = missing.iter().map(pattern).collect();
    if patterns.is_empty() { "all()".to_owned() } else { format!("not ({})", patterns.join(" or ")) }
}

fn needs(test: &str, what: &str) -> bool {
    let ends = |before: &str| test.strip_suffix(what).is_some_and(|name| name.ends_with(before));
    let is_in = |(at, _)| test[..at].is_empty() || test[..at].ends_with("::");
    ends("::") || ends("_") || test.match_indices(&format!("needs_{what}::")).any(is_in)
}

/// Why something is missing, as the test says that does nothing but open it: `opens::wgpu`.
fn reason_missing(what: &str, tests: &[Test]) -> Option<String> {
    if what == DATA {
        return std::env::var_os("VELOXEL_DATA").is_none().then(|| "VELOXEL_DATA is not set".to_owned());
    }
    let Some(test) = tests.iter().find(|test| test.name.ends_with(&format!("opens::{what}"))) else {
        return Some(format!("no test `opens::{what}` tells whether it is here"));
    };
    let run = Command::new(&test.program).args(["--exact", &test.name]).output();
    match run {
        Ok(run) if run.status.success() => None,
        Ok(run) => {
            let printed =
                String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
            let reason = printed.lines().find_map(|line| line.split_once("not here: "));
            Some(reason.map_or_else(|| printed.clone(), |(_, reason)| reason.to_owned()))
        }
        Err(error) => Some(format!("{}: {error}", test.program)),
    }
}

fn tests_in(list: &str) -> Option<Vec<Test>> {
    let list: Value = serde_json::from_str(list).ok()?;
    let mut tests = Vec::new();
    for suite in list["rust-suites"].as_object()?.values() {
        let program = suite["binary-path"].as_str()?;
        let names = suite["testcases"].as_object()?.keys();
        tests.extend(names.map(|name| Test { name: name.clone(), program: program.to_owned() }));
    }
    Some(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests_say_what_they_need() {
        for name in ["warp::volumes::cuda", "a::sweeps_on_cuda", "needs_cuda::a", "inner::needs_cuda::a::b"] {
            assert!(needs(name, "cuda") && !needs(name, "wgpu"), "{name}");
        }
        for name in ["cuda", "cuda::translates", "a::barracuda", "a_needs_cuda::b", "needs_cudas::a"] {
            assert!(!needs(name, "cuda"), "{name}");
        }
    }

    #[test]
    fn the_filter_leaves_out_what_is_missing() {
        assert_eq!(filter(&[]), "all()");
        let missing = ["wgpu", "data"].map(|name| Missing { name, reason: String::new(), tests: 1 });
        let both = "not (test(/(::|_)wgpu$|(^|::)needs_wgpu::/) or test(/(::|_)data$|(^|::)needs_data::/))";
        assert_eq!(filter(&missing), both);
    }

    #[test]
    fn tests_are_listed_with_their_programs() {
        let list = r#"{"rust-suites": {"a": {"binary-path": "/a", "testcases": {"b::cuda": {}, "c": {}}}}}"#;
        let tests = tests_in(list).expect("this is the form that nextest prints");
        let shown: Vec<_> = tests.iter().map(|test| (test.name.as_str(), test.program.as_str())).collect();
        assert_eq!(shown, [("b::cuda", "/a"), ("c", "/a")]);
        assert!(tests_in("{}").is_none());
    }

    #[test]
    fn what_is_missing_is_told_with_its_reason() {
        let folder = tempfile::tempdir().expect("a temporary folder should be possible");
        let program = folder.path().join("test");
        let text = "#!/bin/sh\n[ \"$2\" = opens::wgpu ] || { echo 'panic: cuda is not here: no driver' >&2; exit 101; }\n";
        std::fs::write(&program, text).expect("should be writable");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, open).expect("should be allowed");
        let program = program.display().to_string();
        let tests = ["opens::wgpu", "opens::cuda"]
            .map(|name| Test { name: name.to_owned(), program: program.clone() });
        assert_eq!(reason_missing("wgpu", &tests), None);
        assert_eq!(reason_missing("cuda", &tests).as_deref(), Some("no driver"));
        assert!(reason_missing("nvrtc", &tests).is_some_and(|reason| reason.contains("no test")));
    }
}
