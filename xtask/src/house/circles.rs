//! Circles of imports between the files of one crate.
//!
//! A file uses another when a path in it names an item that the other defines, even through re-exports. Code that only tests
//! compile does not count. Uses between a folder's own file (`mod.rs`, `lib.rs`, `main.rs`) and the modules of that folder do
//! not count either.

use crate::Failure;
use crate::house::allowed::Offence;
use crate::house::manifests;
use crate::reading::modules::{self, Crate};
use crate::reading::names::{self, Names};
use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::{Item, ItemUse};

/// Files that use each other in a circle.
pub struct Circle {
    /// Their paths below the root folder, in alphabetical order.
    pub files: Vec<String>,
    /// A line for each use in the circle: which file uses which item of which other file.
    pub uses: Vec<String>,
}

impl Circle {
    /// The offence under the circle's name in the list of exceptions, with all its uses.
    pub fn offence(&self) -> Offence {
        let key = self.files.join(" ");
        Offence { shown: format!("a circle of imports: {key}\n  {}", self.uses.join("\n  ")), key }
    }
}

/// All circles of the workspace below `root`.
///
/// # Errors
/// A source cannot be read.
pub fn find(root: &Path) -> Result<Vec<Circle>, Failure> {
    let mut found = Vec::new();
    for each in manifests::workspace_crates()? {
        for file in &each.roots {
            found.extend(circles_of(&modules::read(file)?, root));
        }
    }
    Ok(found)
}

/// For each pair of files of which the first uses the second, the first path that shows it.
type Uses = BTreeMap<(usize, usize), String>;

fn circles_of(source: &Crate, root: &Path) -> Vec<Circle> {
    let uses = uses_between_files(source);
    let reached: Vec<BTreeSet<usize>> = (0..source.files.len()).map(|from| reach(from, &uses)).collect();
    let shown = |file: usize| {
        let path = &source.files[file];
        path.strip_prefix(root).unwrap_or(path).display().to_string()
    };
    let mut circles: Vec<BTreeSet<usize>> = Vec::new();
    for file in 0..source.files.len() {
        let circle: BTreeSet<usize> =
            reached[file].iter().copied().filter(|other| reached[*other].contains(&file)).collect();
        if !circle.is_empty() && !circles.contains(&circle) {
            circles.push(circle);
        }
    }
    let shown_circle = |circle: BTreeSet<usize>| {
        let within = uses.iter().filter(|((user, used), _)| circle.contains(user) && circle.contains(used));
        let mut files: Vec<String> = circle.iter().map(|file| shown(*file)).collect();
        files.sort();
        Circle {
            files,
            uses: within.map(|((a, b), path)| format!("{} uses {} ({path})", shown(*a), shown(*b))).collect(),
        }
    };
    circles.into_iter().map(shown_circle).collect()
}

/// All files that `from` uses, directly or through others.
fn reach(from: usize, uses: &Uses) -> BTreeSet<usize> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(user) = next.pop() {
        for (_, used) in uses.keys().filter(|(each, _)| *each == user) {
            if reached.insert(*used) {
                next.push(*used);
            }
        }
    }
    reached
}

fn uses_between_files(source: &Crate) -> Uses {
    let names = Names::new(source);
    let mut uses = Uses::new();
    for (module, each) in source.modules.iter().enumerate() {
        let mut record = |path: &[String]| {
            let Some(used) = names.defining_file(module, path) else { return };
            let (a, b) = (&source.files[each.file], &source.files[used]);
            if used != each.file && !is_family(a, b) && !is_family(b, a) {
                uses.entry((each.file, used)).or_insert_with(|| path.join("::"));
            }
        };
        for item in &each.items {
            match item {
                Item::Use(import) => record_import(import, &mut record),
                item => record_paths(item.to_token_stream(), &mut record),
            }
        }
    }
    uses
}

/// Whether `parent` is the file of a folder, and `child` a file in that folder or the file of a folder in it.
fn is_family(parent: &Path, child: &Path) -> bool {
    let mut module = child.with_extension("");
    if module.ends_with("mod") {
        module.pop();
    }
    let is_folders_own = ["mod", "lib", "main"].iter().any(|name| parent.with_extension("").ends_with(name));
    let folder =
        if is_folders_own { parent.parent().map(Path::to_path_buf) } else { Some(parent.with_extension("")) };
    module.parent() == folder.as_deref()
}

fn record_import(import: &ItemUse, record: &mut dyn FnMut(&[String])) {
    names::imports(&import.tree, &mut Vec::new(), &mut |_, path| record(&path));
}

/// Calls `record` with every path in the tokens, those within macros included.
fn record_paths(tokens: TokenStream, record: &mut dyn FnMut(&[String])) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        let start = at;
        match &tokens[at] {
            TokenTree::Group(group) => record_paths(group.stream(), record),
            TokenTree::Ident(word) if word == "use" => {
                let length = tokens[at..].iter().take_while(|token| !is(token, ';')).count();
                let import: TokenStream = tokens[at..].iter().take(length + 1).cloned().collect();
                if let Ok(import) = syn::parse2(import) {
                    record_import(&import, record);
                    at += length;
                }
            }
            TokenTree::Ident(first) => {
                let mut path = vec![first.to_string()];
                while let Some(TokenTree::Ident(next)) = tokens.get(at + 3)
                    && is_separator(&tokens[at + 1..at + 3])
                {
                    path.push(next.to_string());
                    at += 3;
                }
                // A field, a method, or something of `<Type>::`.
                let is_member = start > 0 && is(&tokens[start - 1], '.')
                    || start > 1 && is_separator(&tokens[start - 2..start]);
                if !is_member {
                    record(&path);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether the two tokens are `::`.
fn is_separator(tokens: &[TokenTree]) -> bool {
    matches!(&tokens[0], TokenTree::Punct(first) if first.spacing() == Spacing::Joint)
        && tokens.iter().all(|token| is(token, ':'))
}

fn is(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The circles of a crate with these files, each with its uses.
    fn circles(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let folder = tempfile::tempdir().expect("a temporary folder should be possible");
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("every name has a folder")).expect("should be writable");
            fs::write(file, text).expect("should be writable");
        }
        let source = modules::read(&folder.path().join("lib.rs")).ok().expect("the crate should be readable");
        let found = circles_of(&source, folder.path());
        found.into_iter().map(|circle| (circle.files.join(" "), circle.uses.len())).collect()
    }

    const LIB: (&str, &str) = ("lib.rs", "mod a; mod b; pub use a::A; pub use b::{B, made as other};");

    fn assert_circle(a: &str, b: &str) {
        assert_eq!(circles(&[LIB, ("a.rs", a), ("b.rs", b)]), [("a.rs b.rs".to_owned(), 2)], "{a} / {b}");
    }

    fn assert_none(a: &str, b: &str) {
        assert_eq!(circles(&[LIB, ("a.rs", a), ("b.rs", b)]), [], "{a} / {b}");
    }

    #[test]
    fn every_way_to_name_an_item_is_a_use() {
        let b = "use crate::a::A; pub struct B; pub fn made() {}";
        for a in [
            "use crate::b::B; pub struct A;",
            "use super::b; pub struct A(b::B);",
            "use crate::B; pub struct A;",
            "use crate::{other as mine}; pub struct A;",
            "use super::*; pub struct A(B);",
            "use crate::b::*; pub struct A(B);",
            "pub struct A; fn f() { use crate::b::{B}; }",
            "pub struct A; fn f() { println!(\"{}\", crate::b::made()) }",
            "pub struct A; macro_rules! m { () => { $crate::b::made() } }",
            "pub struct A; mod inner { use super::super::b::B; }",
        ] {
            assert_circle(a, b);
        }
    }

    #[test]
    fn other_words_are_no_use() {
        let b = "use crate::a::A; pub struct B; pub fn made() {}";
        for a in [
            "pub struct A;",
            "pub struct A; // crate::b::B",
            "use std::b::B; pub struct A;",
            "use crate::b; pub struct A;",
            "use super::*; pub struct A; fn f(x: A) { x.B; <A>::B; }",
            "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
        ] {
            assert_none(a, b);
        }
    }

    #[test]
    fn a_folder_and_its_modules_are_a_family() {
        let folder = |inner: &'static str| {
            [
                ("lib.rs", "mod f; pub struct L;"),
                ("f/mod.rs", "mod c; use c::C; pub struct F;"),
                ("f/c.rs", inner),
            ]
        };
        assert_eq!(circles(&folder("use super::F; pub struct C;")), []);
        let child_of_child = [
            ("lib.rs", "mod f; pub struct L(f::c::C);"),
            ("f/mod.rs", "pub mod c;"),
            ("f/c.rs", "use crate::L; pub struct C;"),
        ];
        assert_eq!(circles(&child_of_child), [("f/c.rs lib.rs".to_owned(), 2)]);
    }

    #[test]
    fn a_circle_may_lead_through_many_files() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "use crate::c::C; use crate::d::D; pub struct B;"),
            ("c.rs", "use crate::a::A; pub struct C;"),
            ("d.rs", "pub struct D;"),
        ];
        assert_eq!(circles(&files), [("a.rs b.rs c.rs".to_owned(), 3)]);
    }
}
