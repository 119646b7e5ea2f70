//! Needs of tests that not every machine meets: finds what is missing here, and which tests need it.
//!
//! A test names its need: its name ends in `::wgpu`, as `on_every_device!` makes it, or in `_wgpu`, or one of the modules
//! around it is `needs_wgpu`.

use crate::Failure;
use crate::testing::programs::TestProgram;
use std::process::Command;

/// A need of tests that this machine does not meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// Its name in those of tests and in `VELOXEL_REQUIRE`.
    pub name: &'static str,
    /// Why it is missing.
    pub reason: String,
    /// Number of tests that need it.
    pub tests: usize,
}

const NEEDS: [&str; 4] = ["wgpu", "cuda", "nvrtc", DATA];
/// Name of the need for the folder that `VELOXEL_DATA` names.
const DATA: &str = "data";

/// Lists what some of the tests need and this machine does not have.
///
/// # Errors
/// `VELOXEL_REQUIRE` names something that is missing.
pub fn missing(programs: &[TestProgram]) -> Result<Vec<Missing>, Failure> {
    let mut found = Vec::new();
    for name in NEEDS {
        let names = programs.iter().flat_map(|program| &program.tests);
        let users = names.filter(|test| needs(test, name)).count();
        let reason = if users == 0 { None } else { reason_missing(name, programs) };
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

/// The expression of nextest that leaves out the tests which need what is missing.
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

/// Why something is missing, in the words of the test that does nothing but open it: `opens::wgpu`.
fn reason_missing(what: &str, programs: &[TestProgram]) -> Option<String> {
    if what == DATA {
        return std::env::var_os("VELOXEL_DATA").is_none().then(|| "VELOXEL_DATA is not set".to_owned());
    }
    let opens = format!("opens::{what}");
    let found = programs
        .iter()
        .find_map(|program| Some((program, program.tests.iter().find(|test| test.ends_with(&opens))?)));
    let Some((program, test)) = found else {
        return Some(format!("no test `opens::{what}` tells whether it is here"));
    };
    let run = Command::new(&program.path).args(["--exact", test]).output();
    match run {
        Ok(run) if run.status.success() => None,
        Ok(run) => {
            let printed =
                String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
            let reason = printed.lines().find_map(|line| line.split_once("not here: "));
            Some(reason.map_or_else(|| printed.clone(), |(_, reason)| reason.to_owned()))
        }
        Err(error) => Some(format!("{}: {error}", program.path.display())),
    }
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
    fn what_is_missing_is_told_with_its_reason() {
        let folder = tempfile::tempdir().expect("a temporary folder should be possible");
        let program = folder.path().join("test");
        let text = "#!/bin/sh\n[ \"$2\" = opens::wgpu ] || { echo 'panic: cuda is not here: no driver' >&2; exit 101; }\n";
        std::fs::write(&program, text).expect("should be writable");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, open).expect("should be allowed");
        let tests = ["opens::wgpu", "opens::cuda"].map(str::to_owned).to_vec();
        let programs = [TestProgram { path: program, tests, ..TestProgram::default() }];
        assert_eq!(reason_missing("wgpu", &programs), None);
        assert_eq!(reason_missing("cuda", &programs).as_deref(), Some("no driver"));
        assert!(reason_missing("nvrtc", &programs).is_some_and(|reason| reason.contains("no test")));
    }
}
