//! Runs every program of `examples/` and compares what it prints with the block `text` at the head of its file.

use crate::{Failure, cargo};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs all examples; returns their number.
///
/// # Errors
/// An example does not build, fails, has no block, or prints something else: all that differ are told.
pub fn run_all() -> Result<usize, Failure> {
    cargo::run_quietly(cargo::cargo(&["build", "--quiet", "--workspace", "--examples"]))?;
    let root = cargo::workspace_root();
    let mut sources: Vec<_> = fs::read_dir(root.join("examples"))
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| Failure(format!("examples: {error}")))?
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    sources.sort();
    let wrong: Vec<String> = sources.iter().filter_map(|source| difference(source).err()).collect();
    if wrong.is_empty() { Ok(sources.len()) } else { Err(Failure(wrong.join("\n"))) }
}

fn difference(source: &Path) -> Result<(), String> {
    let name = source.file_stem().unwrap_or_default();
    let text = fs::read_to_string(source).map_err(|error| format!("{}: {error}", source.display()))?;
    let wanted = printed_block(&text).ok_or_else(|| {
        format!("examples/{}.rs: no block ```text at its head says what it prints", name.display())
    })?;
    let program = cargo::target_folder().join("debug/examples").join(name);
    let printed = cargo::stdout_of(Command::new(program)).map_err(|Failure(text)| text)?;
    if printed == wanted {
        return Ok(());
    }
    Err(format!("examples/{}.rs prints\n{printed}and its head says\n{wanted}", name.display()))
}

/// The lines of the first block `text` of the comment at a file's head.
fn printed_block(source: &str) -> Option<String> {
    let comment = source.lines().map_while(|line| line.strip_prefix("//!"));
    let comment = comment.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut inside = comment.skip_while(|line| *line != "```text").skip(1).peekable();
    inside.peek()?;
    Some(inside.take_while(|line| *line != "```").fold(String::new(), |text, line| text + line + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_ends_at_its_fence() {
        let source =
            "//! Adds: `run me`.\n//!\n//! ```text\n//! one\n//!   two\n//! ```\n//! after\n\nfn main() {}\n";
        assert_eq!(printed_block(source).as_deref(), Some("one\n  two\n"));
        assert_eq!(printed_block("//! Adds.\nfn main() {}\n// ```text\n"), None);
    }
}
