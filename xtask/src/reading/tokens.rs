//! Rust sources as tokens, without code that only tests compile.

use crate::Failure;
use crate::reading::sources;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::iter::Peekable;
use std::path::Path;

/// The tokens of a Rust file that a build without tests compiles.
///
/// # Errors
/// The file cannot be read or is no Rust.
pub fn read(file: &Path) -> Result<TokenStream, Failure> {
    let tokens = sources::text(file)?.parse();
    let tokens = tokens.map_err(|error| Failure(format!("{}: is no Rust: {error}", file.display())))?;
    Ok(without_tests(tokens))
}

/// Leaves out every item with `#[cfg(test)]`, `#[cfg(all(test, …))]` or `#[test]`, and the whole file if it begins with such an
/// attribute.
fn without_tests(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(group)))
                if hash.as_char() == '#' && is_for_tests(group) =>
            {
                // The attributes before this one belong to the same item.
                while matches!(&kept[..], [.., TokenTree::Punct(hash), TokenTree::Group(group)]
                    if hash.as_char() == '#' && group.delimiter() == Delimiter::Bracket)
                {
                    kept.truncate(kept.len() - 2);
                }
                skip_item(&mut tokens);
            }
            (TokenTree::Group(group), _) => {
                let mut inner = Group::new(group.delimiter(), without_tests(group.stream()));
                inner.set_span(group.span());
                kept.push(inner.into());
            }
            _ => kept.push(token),
        }
    }
    kept.into_iter().collect()
}

fn is_for_tests(attribute: &Group) -> bool {
    let words = attribute.stream().to_string().replace(' ', "");
    attribute.delimiter() == Delimiter::Bracket
        && (["test", "cfg(test)"].contains(&words.as_str()) || words.starts_with("cfg(all(test,"))
}

/// Skips an item, which ends with its block or a semicolon, or with both: `use a::{b, c};`.
fn skip_item(tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) {
    let is_semicolon = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';');
    let is_block =
        |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    if tokens.find(|token| is_semicolon(token) || is_block(token)).is_some_and(|last| is_block(&last)) {
        tokens.next_if(is_semicolon);
    }
}

/// Adds all identifiers and literals in the tokens.
pub fn words(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => words(group.stream(), found),
            TokenTree::Punct(_) => {}
            word => {
                found.insert(word.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let tokens = text.parse().expect("the text should be Rust");
        without_tests(tokens).to_string().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_only_tests_compile_goes_with_all_its_attributes() {
        assert_eq!(
            kept("fn a() {} #[cfg(test)] mod tests { fn b() {} } fn c() {}"),
            "fn a () { } fn c () { }"
        );
        assert_eq!(kept("#[allow(x)] #[cfg(test)] use a::{b, c}; struct D;"), "struct D ;");
        assert_eq!(
            kept("impl A { #[cfg(all(test, unix))] fn b<C, D>() {} fn e() {} }"),
            "impl A { fn e () { } }"
        );
        assert_eq!(kept("#[test] #[ignore] fn a() {}"), "");
        assert_eq!(kept("#[cfg(unix)] fn a() {}"), "# [cfg (unix)] fn a () { }");
    }
}
