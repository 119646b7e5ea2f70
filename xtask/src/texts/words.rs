//! Refuses documentation that begins like the second half of a sentence: a reader who comes from a search sees nothing before it.
//!
//! The list is short on purpose. It knows beginnings that are never those of a sentence with a subject and a verb, or of a
//! noun that stands for what is documented; what else is hard to read, a person has to find.

use crate::Failure;
use crate::reading::{sources, tokens};
use proc_macro2::{TokenStream, TokenTree};
use std::path::Path;

/// Beginnings that lean on a sentence before, or lack a subject.
const BEGINNINGS: [(&str, &str); 26] = [
    ("Of ", "say what it is, then of what: `Shape of every buffer`"),
    ("Likewise", "say it again"),
    ("The same.", "say it again"),
    ("The same,", "say it again"),
    ("The same as ", "say what it does, then how it differs"),
    ("The same but ", "say what it does, then how it differs"),
    ("The same for ", "say what it does, then for what"),
    ("The same from ", "say what it does, then from what"),
    ("The same in ", "say what it does, then in what"),
    ("The same of ", "say what it does, then of what"),
    ("The same on ", "say what it does, then on what"),
    ("The same with ", "say what it does, then with what"),
    ("As [", "say what it does, then how it differs"),
    ("As `", "say what it does, then how it differs"),
    ("As above", "say it again"),
    ("As there", "say it again"),
    ("Is ", "name the subject"),
    ("Are ", "name the subject"),
    ("Was ", "name the subject"),
    ("Does not ", "name the subject"),
    ("Has no ", "name the subject"),
    ("Also ", "say it without the sentence before"),
    ("And ", "say it without the sentence before"),
    ("But ", "say it without the sentence before"),
    ("Else", "say it without the sentence before"),
    ("Ditto", "say it again"),
];

/// A line for each documented place outside of tests that begins so.
///
/// # Errors
/// A source cannot be read.
pub fn refusals(root: &Path) -> Result<Vec<String>, Failure> {
    let mut refused = Vec::new();
    for file in sources::files(&root.join("crates"), &["rs"])? {
        if sources::is_for_tests(&file) {
            continue;
        }
        let shown = file.strip_prefix(root).unwrap_or(&file).display();
        for doc in beginnings(tokens::read(&file)?) {
            let found = BEGINNINGS.iter().find(|(beginning, _)| doc.text.starts_with(beginning));
            refused.extend(
                found.map(|(_, advice)| format!("{shown}:{}: \"{}\": {advice}", doc.line, short(&doc.text))),
            );
        }
    }
    Ok(refused)
}

/// The first line of a comment that documents something.
struct Beginning {
    line: usize,
    text: String,
}

fn beginnings(tokens: TokenStream) -> Vec<Beginning> {
    let mut found = Vec::new();
    // How the comment that goes on is marked: `//!` documents what it lies in, `///` what follows.
    let (mut going_on, mut marks) = (None, String::new());
    for token in tokens {
        if let TokenTree::Punct(mark) = &token {
            marks.push(mark.as_char());
            continue;
        }
        let marked = std::mem::take(&mut marks);
        let TokenTree::Group(group) = &token else {
            going_on = None;
            continue;
        };
        match doc(&group.stream()) {
            Some(text) => {
                if going_on.as_ref() != Some(&marked) {
                    found.push(Beginning { line: group.span().start().line, text });
                }
                going_on = Some(marked);
            }
            None => {
                found.extend(beginnings(group.stream()));
                going_on = None;
            }
        }
    }
    found
}

/// The text of `doc = "…"`.
fn doc(attribute: &TokenStream) -> Option<String> {
    let mut tokens = attribute.clone().into_iter();
    match (tokens.next(), tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(word)), Some(_), Some(TokenTree::Literal(text))) if word == "doc" => {
            let text = syn::parse_str::<syn::LitStr>(&text.to_string()).ok()?;
            Some(text.value().trim().to_owned())
        }
        _ => None,
    }
}

fn short(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_told_from_their_later_lines() {
        let source = "//! Head.\n//! Of two lines.\n\n/// Of every buffer.\nstruct A {\n    /// One.\n    /// Of it.\n    a: u8,\n}";
        let tokens = source.parse().expect("the text should be Rust");
        let found = beginnings(tokens);
        let found: Vec<_> = found.iter().map(|each| (each.line, each.text.as_str())).collect();
        assert_eq!(found, [(1, "Head."), (4, "Of every buffer."), (6, "One.")]);
    }

    #[test]
    fn halves_of_sentences_are_refused() {
        let is_refused = |text: &str| BEGINNINGS.iter().any(|(beginning, _)| text.starts_with(beginning));
        for half in
            ["Of every buffer.", "The same for volumes.", "As [`run`], in turn.", "Is none.", "Likewise."]
        {
            assert!(is_refused(half), "{half}");
        }
        for whole in
            ["Offsets of rows.", "The same grid for both images.", "Whether it ran.", "Assigns a part."]
        {
            assert!(!is_refused(whole), "{whole}");
        }
    }
}
