//! Counts lines of code: Rust lines that hold more than comments, without tests, benchmarks and examples.
//!
//! A line counts when a token stands on it or a literal runs over it. The files are those that a build of a library or a
//! program reads: files that only tests compile do not count. Files below `bench` and `fuzz`, and files `parity.rs`, are left
//! out.

use crate::Failure;
use crate::reading::{modules, sources, tokens};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const LEFT_OUT: [&str; 3] = ["bench", "fuzz", "parity.rs"];
/// The root files of libraries and programs.
const ROOTS: [&str; 2] = ["src/lib.rs", "src/main.rs"];

/// Lines of code below `root` by crate: `crates/NAME`, or the first folder.
///
/// # Errors
/// A source cannot be read.
pub fn by_crate(root: &Path) -> Result<BTreeMap<String, usize>, Failure> {
    let mut files = BTreeSet::new();
    for file in sources::files(root, &["rs"])? {
        if ROOTS.iter().any(|end| file.ends_with(end)) {
            files.extend(modules::read(&file)?.files);
        }
    }
    let mut sizes = BTreeMap::new();
    for file in files {
        let path = file.strip_prefix(root).unwrap_or(&file);
        let parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if !parts.iter().any(|part| LEFT_OUT.contains(&part.as_str())) {
            let depth = if parts[0] == "crates" { 2 } else { 1 };
            *sizes.entry(parts[..depth].join("/")).or_default() += lines_of_code(tokens::read(&file)?);
        }
    }
    Ok(sizes)
}

/// The table as lines, with its sum.
pub fn table(sizes: &BTreeMap<String, usize>) -> String {
    let sum = ("all".to_owned(), sizes.values().sum());
    let lines = sizes.iter().chain([(&sum.0, &sum.1)]);
    lines.map(|(name, lines)| format!("{name:<24} {lines:>6}\n")).collect()
}

fn lines_of_code(tokens: TokenStream) -> usize {
    let mut lines = BTreeSet::new();
    add_lines(tokens, &mut lines);
    lines.len()
}

fn add_lines(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) if is_documentation(&group) => {}
            TokenTree::Group(group) => {
                lines.extend([group.span_open().start().line, group.span_close().end().line]);
                add_lines(group.stream(), lines);
            }
            // They stand on the line of what follows, which may be documentation.
            TokenTree::Punct(mark) if ['#', '!'].contains(&mark.as_char()) => {}
            token => lines.extend(token.span().start().line..=token.span().end().line),
        }
    }
}

/// Whether this is the `[doc = "…"]` that a comment for the documentation becomes.
fn is_documentation(attribute: &Group) -> bool {
    let first = attribute.stream().into_iter().next();
    attribute.delimiter() == Delimiter::Bracket && first.is_some_and(|word| word.to_string() == "doc")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn comments_blank_lines_and_tests_are_no_code() {
        let text = "//! Page.\n\n/// Text,\n/// more.\n#[inline]\nfn f() {\n    // why\n    g(\"a\nb\"); /* c */\n\n}\n\
                    #[cfg(test)]\nmod tests {\n    fn h() {}\n}\n";
        let root = tempfile::tempdir().expect("a temporary folder should be possible");
        for file in
            ["crates/a/src/lib.rs", "crates/a/tests/b.rs", "crates/a/src/tests.rs", "xtask/src/main.rs"]
        {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().expect("every name has a folder")).expect("should be writable");
            fs::write(file, text).expect("should be writable");
        }
        let sizes = by_crate(root.path()).ok().expect("the folder should be readable");
        // `#[inline]`, `fn`, two lines with the literal, and the brace.
        assert_eq!(sizes, BTreeMap::from([("crates/a".to_owned(), 5), ("xtask".to_owned(), 5)]));
        assert!(table(&sizes).ends_with("all                          10\n"), "{}", table(&sizes));
    }

    #[test]
    fn files_that_only_tests_include_are_no_code() {
        let root = tempfile::tempdir().expect("a temporary folder should be possible");
        let source = root.path().join("crates/a/src");
        fs::create_dir_all(source.join("b")).expect("should be writable");
        let files = [
            ("lib.rs", "mod b;\n#[cfg(test)]\nmod b_tests;\n"),
            ("b/mod.rs", "#[cfg(test)]\nmod inner_tests;\nfn f() {}\n"),
            ("b/inner_tests.rs", "fn g() {}\n"),
            ("b_tests.rs", "fn h() {}\n"),
        ];
        for (name, text) in files {
            fs::write(source.join(name), text).expect("should be writable");
        }
        let sizes = by_crate(root.path()).ok().expect("the folder should be readable");
        assert_eq!(sizes, BTreeMap::from([("crates/a".to_owned(), 2)]));
    }
}
