//! Refuses what changes and belongs to a whole process, or to a thread of it, in libraries: two sessions beside each other would
//! share it. What decides nothing is listed, with the reason, in `docs/design/process_wide.md`.

use crate::reading::{sources, tokens};
use crate::{Failure, cargo};
use proc_macro2::{TokenStream, TokenTree};
use std::fs;
use std::path::Path;

/// The page that lists what may be there: a table whose rows begin with a file and a name.
const PAGE: &str = "docs/design/process_wide.md";
/// Crates that are no libraries of users: the command has one process for itself.
const FREE: [&str; 3] = ["cli", "bench", "testkit"];
/// Parts of the names of types whose values change though they are not declared `mut`.
const CHANGING: [&str; 7] = ["Mutex", "RwLock", "OnceLock", "LazyLock", "Atomic", "Cell", "Condvar"];

/// A static value that may change.
#[derive(Debug, PartialEq, Eq)]
struct Changing {
    name: String,
    line: usize,
}

/// A line for each static value that may change and is not listed, and for each row of the list that nothing needs.
///
/// # Errors
/// A source or the list cannot be read.
pub fn refusals(root: &Path) -> Result<Vec<String>, Failure> {
    let page = fs::read_to_string(cargo::workspace_root().join(PAGE))
        .map_err(|error| Failure(format!("{PAGE}: cannot be read: {error}")))?;
    let mut listed = rows(&page);
    let mut refused = Vec::new();
    for file in sources::files(&root.join("crates"), &["rs"])? {
        let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let of_library = shown.split('/').nth(1).is_some_and(|own| !FREE.contains(&own));
        if !of_library || !shown.contains("/src/") || sources::is_for_tests(&file) {
            continue;
        }
        for Changing { name, line } in changing(tokens::read(&file)?) {
            match listed.iter().position(|row| *row == (shown.clone(), name.clone())) {
                Some(nth) => _ = listed.remove(nth),
                None => {
                    refused.push(format!("{shown}:{line}: `static {name}` changes, for the whole process"))
                }
            }
        }
    }
    let gone =
        listed.iter().map(|(file, name)| format!("{PAGE}: there is no `{name}` in {file}: remove the row"));
    refused.extend(gone);
    Ok(refused)
}

/// File and name of each row of the table.
fn rows(page: &str) -> Vec<(String, String)> {
    let code = |cell: &str| Some(cell.trim().strip_prefix('`')?.strip_suffix('`')?.to_owned());
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|');
        Some((code(cells.next()?)?, code(cells.next()?)?))
    };
    page.lines().filter_map(row).collect()
}

/// The static values that may change, those of a thread and those within functions included.
fn changing(tokens: TokenStream) -> Vec<Changing> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            found.extend(changing(group.stream()));
        }
        let is_lifetime =
            at > 0 && matches!(&tokens[at - 1], TokenTree::Punct(mark) if mark.as_char() == '\'');
        if matches!(token, TokenTree::Ident(word) if word == "static") && !is_lifetime {
            found.extend(declared(&tokens[at + 1..]));
        }
    }
    found
}

/// What is declared behind the word `static`, if it may change.
fn declared(tokens: &[TokenTree]) -> Option<Changing> {
    let is_mut = matches!(tokens.first()?, TokenTree::Ident(word) if word == "mut");
    let TokenTree::Ident(name) = tokens.get(usize::from(is_mut))? else { return None };
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '=');
    let kind: TokenStream = tokens.iter().take_while(|token| !is_end(token)).cloned().collect();
    let words = kind.to_string();
    let changes = is_mut || CHANGING.iter().any(|part| words.contains(part));
    changes.then(|| Changing { name: name.to_string(), line: name.span().start().line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        let tokens = source.parse().expect("the text should be Rust");
        changing(tokens).into_iter().map(|each| each.name).collect()
    }

    #[test]
    fn what_changes_is_found_wherever_it_stands() {
        assert_eq!(found("static A: Mutex<u32> = Mutex::new(0);"), ["A"]);
        assert_eq!(found("fn f() { static B: [AtomicU8; 2] = x(); }"), ["B"]);
        assert_eq!(found("thread_local! { static C: Cell<bool> = const { Cell::new(false) }; }"), ["C"]);
        assert_eq!(found("static mut D: u32 = 0;"), ["D"]);
        for free in ["static A: [u32; 2] = [1, 2];", "fn f(a: &'static Mutex<u32>) {}", "const A: u8 = 1;"] {
            assert_eq!(found(free), Vec::<String>::new(), "{free}");
        }
    }

    #[test]
    fn rows_begin_with_a_file_and_a_name() {
        let page = "# Title\n| file | name | why |\n|---|---|---|\n| `a/b.rs` | `C` | it is a cache |\n";
        assert_eq!(rows(page), [("a/b.rs".to_owned(), "C".to_owned())]);
    }
}
