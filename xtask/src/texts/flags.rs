//! Refuses texts of libraries that name flags of the command: errors, warnings and hints reach Rust programs and pages too, and
//! only the command knows its flags.

use crate::Failure;
use crate::reading::{literals, sources, tokens};
use std::collections::BTreeSet;
use std::path::Path;

/// The folder of the long helps, from which the flags are known.
const HELPS: &str = "crates/cli/tests/command/snapshots";
/// Crates whose texts no library prints.
const FACES: [&str; 3] = ["bench", "cli", "testkit"];
/// The beginning of advice to run the command.
const ADVICE: &str = "`veloxel ";

/// A line for each string outside of tests that names a flag of the command, or the command with an argument.
///
/// # Errors
/// A source cannot be read.
pub fn refusals(root: &Path) -> Result<Vec<String>, Failure> {
    let mut flags = BTreeSet::new();
    for help in sources::files(&root.join(HELPS), &["snap"])? {
        flags.extend(flags_in(&sources::text(&help)?));
    }
    let mut refused = Vec::new();
    for library in sources::folders(&root.join("crates"))? {
        if FACES.iter().any(|face| library.ends_with(face)) {
            continue;
        }
        for file in sources::files(&library.join("src"), &["rs"])? {
            if sources::is_for_tests(&file) {
                continue;
            }
            let shown = file.strip_prefix(root).unwrap_or(&file).display();
            for literal in literals::of(tokens::read(&file)?) {
                let named = named(&literal.text, &flags);
                refused.extend(named.map(|what| format!("{shown}:{}: a text names {what}", literal.line)));
            }
        }
    }
    Ok(refused)
}

/// The first flag in the text, or the command.
fn named(text: &str, flags: &BTreeSet<String>) -> Option<String> {
    let flag = flags_in(text).find(|flag| flags.contains(flag));
    flag.or_else(|| text.contains(ADVICE).then(|| "the command `veloxel …`".to_owned()))
}

/// All words of the form `--word` or `--two-words`.
fn flags_in(text: &str) -> impl Iterator<Item = String> {
    text.match_indices("--").filter_map(|(at, _)| {
        let is_inside = text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '-');
        let word: String =
            text[at + 2..].chars().take_while(|each| each.is_ascii_lowercase() || *each == '-').collect();
        (!is_inside && word.starts_with(|first: char| first.is_ascii_lowercase()))
            .then(|| format!("--{word}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_the_command_are_told_from_other_words() {
        let flags: BTreeSet<String> =
            flags_in("  -o, --output <FILE>\n      --mask <M> --max-memory").collect();
        assert_eq!(
            flags.iter().map(String::as_str).collect::<Vec<_>>(),
            ["--mask", "--max-memory", "--output"]
        );
        for text in ["cover it with a mask (--mask)", "allow more with `--max-memory`", "--output: taken"] {
            assert!(named(text, &flags).is_some(), "{text}");
        }
        for text in ["var(--ink)", "--std=c++17", "a -- b", "---mask", "a--mask"] {
            assert_eq!(named(text, &flags), None, "{text}");
        }
        assert_eq!(named("run `veloxel devices`", &flags).as_deref(), Some("the command `veloxel …`"));
        assert_eq!(named("veloxel reads it", &flags), None);
    }
}
