//! Finds the crates whose documentation has examples that compile.

use crate::Failure;
use crate::house::manifests;
use crate::reading::sources;

/// Words after the fence of a block that is no Rust.
const OTHER_LANGUAGES: [&str; 6] = ["text", "sh", "toml", "json", "console", "wgsl"];

/// Names of the crates with an example in the documentation of a source, or with a page of `docs` or the README included.
///
/// # Errors
/// The workspace cannot be read.
pub fn crates_with_examples() -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for each in manifests::workspace_crates()? {
        let files = sources::files(&each.folder.join("src"), &["rs"])?;
        let mut found = false;
        for file in &files {
            found |= has_example(&sources::text(file)?);
        }
        if found {
            names.push(each.name);
        }
    }
    Ok(names)
}

fn has_example(source: &str) -> bool {
    let comments = source.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
    });
    let mut is_open = false;
    for line in comments {
        let Some(kind) = line.trim().strip_prefix("```") else { continue };
        is_open = !is_open;
        if is_open && !OTHER_LANGUAGES.contains(&kind) {
            return true;
        }
    }
    source.contains("#[doc = include_str!(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_rust_are_examples() {
        assert!(has_example("/// Adds.\n/// ```\n/// add();\n/// ```\n"));
        assert!(has_example("//! ```no_run\n//! open()?;\n//! ```\n"));
        assert!(has_example("#[doc = include_str!(\"README.md\")]\n"));
        assert!(!has_example("//! ```text\n//! a → b\n//! ```\nlet fence = \"```\";\n"));
    }
}
