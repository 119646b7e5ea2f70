//! Checks that the evidence which documentation names exists: files, and tests by name.
//!
//! In sources the evidence is the text behind `*Evidence*:` at the head of a file; in the pages of `docs` it is every file that
//! is named, and in their section *Evidence* tests too.

use crate::Failure;
use crate::reading::sources;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folder of the pages.
const PAGES: &str = "docs";
/// Extensions of files that a page may name.
const FILES: [&str; 9] = [".rs", ".md", ".py", ".sh", ".json", ".wgsl", ".cu", ".csv", ".npy"];
/// Beginnings of words that are paths from the root, for words without an extension.
const FOLDERS: [&str; 5] = ["crates/", "docs/", "benches/", "examples/", "xtask/"];
const HEAD: &str = "*Evidence*:";
/// The words before the name of a benchmark.
const BENCHMARK: &str = "veloxel bench ";

/// A line for each file, test and benchmark that is named and does not exist, and the number of those that are named.
pub struct Evidence {
    pub named: usize,
    pub dead: Vec<String>,
}

/// Checks all sources of `crates` and the pages below `root`.
///
/// # Errors
/// A file cannot be read.
pub fn inspect(root: &Path) -> Result<Evidence, Failure> {
    let sources = sources::files(&root.join("crates"), &["rs"])?;
    let mut names = BTreeSet::new();
    let mut claims = Vec::new();
    for file in &sources {
        let text = sources::text(file)?;
        add_names(&text, &mut names);
        claims.extend(head(&text).map(|claim| (file.clone(), marked(&claim))));
    }
    for file in sources::files(&root.join(PAGES), &["md"])? {
        let text = sources::text(&file)?;
        claims.push((file.clone(), links(&text)));
        let text = without_links(&text);
        claims.push((file.clone(), marked(&text).into_iter().filter(|word| is_file(word)).collect()));
        let section = text.split("\n## ").find(|part| part.starts_with("Evidence"));
        claims.extend(
            section.map(|section| (file, marked(section).into_iter().filter(|word| is_test(word)).collect())),
        );
    }
    let others = sources::files(&root.join("crates"), &["wgsl", "cu", "sh", "py", "json"])?;
    let known = Known { names, files: sources.into_iter().chain(others).collect() };
    let mut evidence = Evidence { named: 0, dead: Vec::new() };
    for (file, words) in claims {
        let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        evidence.named += words.len();
        let dead = words.iter().filter_map(|word| dead(root, &file, word, &known));
        evidence.dead.extend(dead.map(|what| format!("{shown}: names {what}")));
    }
    Ok(evidence)
}

/// The names that may be used.
struct Known {
    /// Functions, modules, and short strings in their quotes.
    names: BTreeSet<String>,
    /// The files of all crates.
    files: Vec<PathBuf>,
}

/// The text behind *Evidence* in the documentation at the head of a file, up to the next such word or paragraph.
fn head(text: &str) -> Option<String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let page: String = lines.map(|line| format!("{}\n", line.trim())).collect();
    let (_, claim) = page.split_once(HEAD)?;
    let end = claim.find(" *").into_iter().chain(claim.find("\n*")).chain(claim.find("\n\n")).min();
    Some(claim[..end.unwrap_or(claim.len())].to_owned())
}

/// Words in backticks, and words outside of them that are paths.
fn marked(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 {
            found.push(part.replace('\n', " "));
        } else {
            let words = part.split(|each: char| each.is_whitespace() || "(),;:".contains(each));
            let words = words.map(|word| word.trim_end_matches('.'));
            found.extend(words.filter(|word| is_file(word)).map(str::to_owned));
        }
    }
    found
}

/// The files that links of a page lead to.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains(':')).map(str::to_owned).collect()
}

/// The page with the texts of its links alone.
fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |page, rest| page + rest.split_once(')').map_or("", |(_, behind)| behind))
}

fn is_file(word: &str) -> bool {
    // An ending alone is the name of a format.
    let is_path = !word.contains([' ', '*', '|', '(', '=', '[', '<']) && !word.starts_with('.');
    is_path
        && (FILES.iter().any(|ending| word.ends_with(ending))
            || FOLDERS.iter().any(|folder| word.starts_with(folder)))
}

/// Whether a word has the form of a test's name.
fn is_test(word: &str) -> bool {
    word.contains('_')
        && word.chars().all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || "_:".contains(each))
}

/// The part of `word` that names nothing.
fn dead(root: &Path, file: &Path, word: &str, known: &Known) -> Option<String> {
    if let Some((_, benchmark)) = word.split_once(BENCHMARK) {
        let name = benchmark.split(' ').next().unwrap_or_default();
        return (!known.names.contains(&format!("\"{name}\"")))
            .then(|| format!("the benchmark `{name}`, which is none"));
    }
    if is_file(word) || word.contains('/') {
        let places = places(root, file);
        // A page may leave out the first folders of a source's path.
        let is_there = known.files.iter().any(|file| file.ends_with(word))
            || places.iter().any(|place| place.join(word).exists());
        return (!is_there).then(|| format!("the file `{word}`, which is not there"));
    }
    let last = word.rsplit("::").next().unwrap_or(word);
    let is_name = last.chars().all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || each == '_');
    (is_name && !known.names.contains(last)).then(|| format!("the test `{word}`, which is none"))
}

/// The folders that a path may start from: the root, the file's own, and those around it up to its crate's.
fn places(root: &Path, file: &Path) -> Vec<PathBuf> {
    let mut places = vec![root.to_path_buf()];
    for folder in file.ancestors().skip(1).take_while(|folder| *folder != root) {
        places.push(folder.to_path_buf());
        if folder.join("Cargo.toml").is_file() {
            break;
        }
    }
    places
}

/// Adds the names of functions and modules, and strings in their quotes, which names of benchmarks are.
fn add_names(text: &str, names: &mut BTreeSet<String>) {
    for keyword in ["fn ", "mod "] {
        let rests = text.split(keyword).skip(1);
        names.extend(rests.filter_map(|rest| {
            rest.split(|each: char| !each.is_alphanumeric() && each != '_').next().map(str::to_owned)
        }));
    }
    let is_name =
        |part: &&str| part.len() < 40 && part.chars().all(|each| each.is_ascii_alphanumeric() || each == '-');
    names.extend(text.split('"').filter(is_name).map(|part| format!("\"{part}\"")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The dead names in a workspace of one source and one page.
    fn dead_in(source: &str, page: &str) -> Vec<String> {
        let root = tempfile::tempdir().expect("a temporary folder should be possible");
        let write = |name: &str, text: &str| {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().expect("every name has a folder")).expect("should be writable");
            fs::write(file, text).expect("should be writable");
        };
        write("crates/own/Cargo.toml", "");
        write("crates/own/src/lib.rs", source);
        write(
            "crates/own/tests/own/there.rs",
            "#[test]\nfn it_holds() {}\nconst NAMES: [&str; 1] = [\"speed\"];",
        );
        write("docs/algorithms/own.md", page);
        inspect(root.path()).ok().expect("the folder should be readable").dead
    }

    #[test]
    fn what_is_there_passes() {
        let source = "//! Sums.\n//!\n//! *Evidence*: `tests/own/there.rs` and `it_holds`;\n//! docs/algorithms/own.md; \
                      `veloxel bench speed --json`. *Limits*: `none_such`.";
        let page = "See [the page](own.md#evidence) and [elsewhere](https://example.org/x.md), `a/b` and `alpha=1`.\n\n## Evidence\n\n`it_holds`\n";
        assert_eq!(dead_in(source, page), Vec::<String>::new());
    }

    #[test]
    fn what_is_not_there_is_told() {
        let source = "//! *Evidence*: `tests/there.rs`, `it_fails`,\n//! docs/none.md; `veloxel bench size`.";
        let file = "crates/own/src/lib.rs: names";
        assert_eq!(
            dead_in(source, "[gone](gone.md)\n\n## Evidence\n\n`no_test` in crates/none\n"),
            [
                format!("{file} the file `tests/there.rs`, which is not there"),
                format!("{file} the test `it_fails`, which is none"),
                format!("{file} the file `docs/none.md`, which is not there"),
                format!("{file} the benchmark `size`, which is none"),
                "docs/algorithms/own.md: names the file `gone.md`, which is not there".to_owned(),
                "docs/algorithms/own.md: names the file `crates/none`, which is not there".to_owned(),
                "docs/algorithms/own.md: names the test `no_test`, which is none".to_owned(),
            ]
        );
    }
}
