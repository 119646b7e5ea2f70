//! What a check needs on this machine, told before anything runs.

use crate::cargo;
use std::process::{Command, Stdio};

/// A program that steps of the check start.
struct Tool {
    /// The program and the arguments with which it tells its version.
    words: &'static [&'static str],
    /// Steps that need it.
    steps: &'static [&'static str],
    /// How it gets here.
    install: &'static str,
}

const TOOLS: [Tool; 4] = [
    Tool { words: &["cargo", "fmt"], steps: &["format"], install: "`rustup component add rustfmt`" },
    Tool { words: &["cargo", "clippy"], steps: &["clippy"], install: "`rustup component add clippy`" },
    Tool {
        words: &["cargo", "nextest"],
        steps: &["tests"],
        install: "`cargo install --locked cargo-nextest`, or a ready program from https://nexte.st",
    },
    Tool {
        words: &["cc"],
        steps: &["clippy", "docs", "tests", "examples", "doctests"],
        install: "a C compiler, which links programs: `apt-get install gcc libc6-dev`, or your system's",
    },
];

/// A line for each program that one of the steps needs and this machine does not have.
pub fn missing(steps: &[&str]) -> Vec<String> {
    let is_asked = |tool: &&Tool| tool.steps.iter().any(|step| steps.contains(step));
    let lacking = TOOLS.iter().filter(is_asked).filter(|tool| !is_here(tool.words));
    let line =
        |tool: &Tool| format!("{} (for {}): {}", tool.words.join(" "), tool.steps.join(", "), tool.install);
    lacking.map(line).collect()
}

fn is_here(words: &[&str]) -> bool {
    let mut command = match words {
        ["cargo", rest @ ..] => cargo::cargo(rest),
        [program, rest @ ..] => {
            let mut command = Command::new(program);
            command.args(rest);
            command
        }
        [] => return true,
    };
    let run = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_are_here_are_told_from_others() {
        assert!(is_here(&["cargo"]));
        assert!(!is_here(&["cargo", "no-such-command-of-cargo"]));
        assert!(!is_here(&["no-such-program-of-veloxel"]));
    }

    #[test]
    fn steps_without_programs_miss_nothing() {
        assert_eq!(missing(&["floors", "words"]), Vec::<String>::new());
    }
}
