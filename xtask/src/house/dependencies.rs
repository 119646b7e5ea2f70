//! Refuses dependencies that nothing uses, and those without a version of their own in the workspace's table.

use crate::Failure;
use crate::house::manifests::{Crate, Purpose};
use crate::reading::{sources, tokens};
use proc_macro2::{Spacing, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::Path;

/// One line for each dependency that breaks a rule.
///
/// # Errors
/// A source or manifest cannot be read.
pub fn refusals(root: &Path, crates: &[Crate]) -> Result<Vec<String>, Failure> {
    let mut refused = Vec::new();
    for each in crates {
        let product = paths_in(&each.folder)?;
        let everything = text_of(&each.folder)?;
        for dependency in &each.dependencies {
            let name = dependency.identifier.as_str();
            let (is_used, place) = match dependency.purpose {
                Purpose::Product => (product.contains(name), "nothing outside of its tests"),
                Purpose::Tests => (everything.contains(name), "nothing"),
            };
            if !is_used {
                refused.push(format!("{} depends on {}, but {place} uses it", each.name, dependency.name));
            }
            // Tests of a crate may use another of ours without a version, which what is published then leaves out: crates
            // could not be published in any order if tests went in circles.
            let is_ours = crates.iter().any(|own| own.name == dependency.name);
            if dependency.is_free && !(is_ours && dependency.purpose == Purpose::Tests) {
                refused.push(format!("{} depends on {} without a version", each.name, dependency.name));
            }
        }
        let manifest = sources::text(&each.folder.join("Cargo.toml"))?;
        refused.extend(not_from_the_table(&manifest).map(|line| {
            format!("{}: `{line}` should be in the workspace's table, and here `workspace = true`", each.name)
        }));
    }
    let table = sources::text(&root.join("Cargo.toml"))?;
    let is_used = |name: &str| crates.iter().any(|each| each.dependencies.iter().any(|d| d.name == name));
    let unused = entries(&table, "[workspace.dependencies]").filter(|(name, _)| !is_used(name));
    refused.extend(unused.map(|(name, _)| format!("Cargo.toml: no crate depends on {name}")));
    Ok(refused)
}

/// First words of all paths in the crate's sources, tests excluded.
fn paths_in(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let mut found = BTreeSet::new();
    let beside = folder.join("build.rs");
    for file in
        sources::files(&folder.join("src"), &["rs"])?.into_iter().chain(beside.is_file().then_some(beside))
    {
        add_paths(tokens::read(&file)?, &mut found);
    }
    Ok(found)
}

/// Macros of ours that write paths of a crate into the code that calls them.
const WRITTEN_BY_MACROS: [(&str, &str); 2] = [("parameters", "serde"), ("choices", "serde")];

fn add_paths(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (token, tokens.peek()) {
            (TokenTree::Group(group), _) => add_paths(group.stream(), found),
            (TokenTree::Ident(word), Some(TokenTree::Punct(colon)))
                if colon.as_char() == ':' && colon.spacing() == Spacing::Joint =>
            {
                found.insert(word.to_string());
            }
            (TokenTree::Ident(word), Some(TokenTree::Punct(call))) if call.as_char() == '!' => {
                let own = WRITTEN_BY_MACROS.iter().find(|(name, _)| word == name);
                found.extend(own.map(|(_, path)| (*path).to_owned()));
            }
            _ => {}
        }
    }
}

/// All sources of the crate as one text: examples in its documentation may use dependencies of tests too.
fn text_of(folder: &Path) -> Result<String, Failure> {
    sources::files(folder, &["rs"])?.iter().map(|file| sources::text(file)).collect()
}

/// Lines of a member's manifest that say more about a dependency than that it is the workspace's, or a crate beside it.
fn not_from_the_table(manifest: &str) -> impl Iterator<Item = &str> {
    let is_own = |line: &str| line.contains("workspace = true") || line.contains("path = \"../");
    entries(manifest, "dependencies]").map(|(_, line)| line).filter(move |line| !is_own(line))
}

/// Names and lines of the entries in all tables whose heading ends with `heading`.
fn entries<'a>(manifest: &'a str, heading: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut is_inside = false;
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            is_inside = line.ends_with(heading);
        }
        let (name, _) = line.split_once([' ', '.'])?;
        (is_inside && line.contains('=') && !line.starts_with(['#', '['])).then_some((name, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::manifests::Dependency;
    use std::fs;

    /// The refusals for a crate with `source` and one dependency, on `some-crate`.
    fn refused(source: &str, purpose: Purpose, manifest: &str) -> Vec<String> {
        let root = tempfile::tempdir().expect("a temporary folder should be possible");
        let write =
            |name: &str, text: &str| fs::write(root.path().join(name), text).expect("should be writable");
        fs::create_dir_all(root.path().join("own/src")).expect("should be writable");
        write("Cargo.toml", "[workspace.dependencies]\n# why\nsome-crate = \"1\"\n");
        write("own/Cargo.toml", manifest);
        write("own/src/lib.rs", source);
        let identifier = "some_crate".to_owned();
        let dependency = Dependency { name: "some-crate".to_owned(), identifier, purpose, is_free: false };
        let own = Crate {
            name: "own".to_owned(),
            folder: root.path().join("own"),
            dependencies: vec![dependency],
            ..Crate::default()
        };
        refusals(root.path(), &[own]).ok().expect("the folder should be readable")
    }

    const MANIFEST: &str = "[dependencies]\nsome-crate.workspace = true\n";

    #[test]
    fn what_nothing_names_is_refused() {
        assert_eq!(refused("use some_crate::X;", Purpose::Product, MANIFEST), Vec::<String>::new());
        let unused = ["own depends on some-crate, but nothing outside of its tests uses it"];
        assert_eq!(refused("// some_crate::X\nlet some_crate = 1;", Purpose::Product, MANIFEST), unused);
        let in_tests = "#[cfg(test)] mod tests { use some_crate::X; }";
        assert_eq!(refused(in_tests, Purpose::Product, MANIFEST), unused);
        assert_eq!(refused(in_tests, Purpose::Tests, MANIFEST), Vec::<String>::new());
        assert_eq!(refused("", Purpose::Tests, MANIFEST), ["own depends on some-crate, but nothing uses it"]);
    }

    #[test]
    fn versions_stand_in_the_workspaces_table() {
        let own = "[package]\nversion = \"1\"\n[target.'cfg(unix)'.dependencies]\nsome-crate = \"1\"\n";
        let found = refused("use some_crate::X;", Purpose::Product, own);
        assert!(
            found.len() == 1 && found[0].starts_with("own: `some-crate = \"1\"` should be in"),
            "{found:?}"
        );
    }

    #[test]
    fn an_entry_of_the_table_that_no_crate_wants_is_refused() {
        let table = "[workspace.dependencies]\nused = \"1\"\n# why\nfree = { version = \"1\" }\n[profile.dev]\nx = 1\n";
        let names: Vec<&str> = entries(table, "[workspace.dependencies]").map(|(name, _)| name).collect();
        assert_eq!(names, ["used", "free"]);
    }
}
