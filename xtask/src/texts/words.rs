//! Refuses sentences that a reader who comes from a search cannot understand: documentation that begins like the second half of
//! a sentence, and a few phrases that stand for no person and no thing.
//!
//! The lists are short on purpose. [`BEGINNINGS`] are never those of a sentence with a subject and a verb, or of a noun phrase
//! that names what is documented; [`PHRASES`] always have a plainer form. Other sentences that are hard to read, a person has
//! to find.

use crate::Failure;
use crate::reading::{literals, sources, tokens};
use proc_macro2::{TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// Folders with sources.
const SOURCES: [&str; 4] = ["crates", "examples", "fuzz", "xtask"];
/// The page of changes, which keeps the words of its time.
const HISTORY: &str = "CHANGELOG.md";
/// This file names what it refuses.
const OWN: &str = "xtask/src/texts/words.rs";

const NAME_IT: &str = "say what it is, then of what: `Shape of every buffer`";
const SUBJECT: &str = "name the subject";
const ALONE: &str = "say it without the sentence before";
const AGAIN: &str = "say what it is or does, then how it differs";

/// Beginnings of documentation that lack a subject, or need a sentence before them.
const BEGINNINGS: [(&str, &str); 44] = [
    ("Of ", NAME_IT),
    ("So many ", NAME_IT),
    ("So much ", NAME_IT),
    ("Those ", NAME_IT),
    ("None", NAME_IT),
    ("Is ", SUBJECT),
    ("Are ", SUBJECT),
    ("Was ", SUBJECT),
    ("Were ", SUBJECT),
    ("Has ", SUBJECT),
    ("Does not ", SUBJECT),
    ("Can ", SUBJECT),
    ("May ", SUBJECT),
    ("Must ", SUBJECT),
    ("Also ", ALONE),
    ("And ", ALONE),
    ("But ", ALONE),
    ("Else", ALONE),
    ("Or ", ALONE),
    ("So ", ALONE),
    ("Then ", ALONE),
    ("Therefore", ALONE),
    ("Ditto", AGAIN),
    ("Likewise", AGAIN),
    ("As [", AGAIN),
    ("As `", AGAIN),
    ("As above", AGAIN),
    ("As in ", AGAIN),
    ("As it ", AGAIN),
    ("As that ", AGAIN),
    ("As there", AGAIN),
    ("As they ", AGAIN),
    ("The same.", AGAIN),
    ("The same,", AGAIN),
    ("The same;", AGAIN),
    ("The same:", AGAIN),
    ("The same as ", AGAIN),
    ("The same but ", AGAIN),
    ("The same for ", AGAIN),
    ("The same from ", AGAIN),
    ("The same in ", AGAIN),
    ("The same of ", AGAIN),
    ("The same on ", AGAIN),
    ("The same with ", AGAIN),
];

/// Phrases in documentation, printed texts and pages, in small letters.
const PHRASES: [(&str, &str); 8] = [
    ("is none of", "say what it is not"),
    ("are none of", "say what they are not"),
    ("has to say", "name what it reports"),
    ("likewise", "say it again"),
    ("nobody", "name who does not, or use the passive"),
    ("somebody", "name who"),
    ("told of", "say `reported`, or name what is known"),
    ("whoever", "name who"),
];

/// A line for each place that begins so, or has such a phrase.
///
/// # Errors
/// A file cannot be read.
pub fn refusals(root: &Path) -> Result<Vec<String>, Failure> {
    let mut refused = Vec::new();
    for folder in SOURCES.iter().map(|name| root.join(name)).filter(|folder| folder.is_dir()) {
        for file in sources::files(&folder, &["rs"])? {
            let shown = file.strip_prefix(root).unwrap_or(&file);
            if !sources::is_for_tests(&file) && shown != Path::new(OWN) {
                refused.extend(of_source(tokens::read(&file)?).into_iter().map(|fault| fault.text(shown)));
            }
        }
    }
    for page in pages(root)? {
        let shown = page.strip_prefix(root).unwrap_or(&page);
        let text = sources::text(&page)?;
        let lines = text.lines().enumerate();
        let found = lines.flat_map(|(nth, line)| phrases(line).map(move |fault| fault.at(nth + 1)));
        refused.extend(found.map(|fault| fault.text(shown)));
    }
    Ok(refused)
}

/// The pages of the root folder and of `docs`.
fn pages(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = sources::files(root, &["md"])?;
    found.retain(|page| !page.ends_with(HISTORY));
    Ok(found)
}

/// A place that is refused.
#[derive(Debug)]
struct Fault {
    line: usize,
    what: String,
    advice: &'static str,
}

impl Fault {
    fn at(self, line: usize) -> Self {
        Self { line, ..self }
    }

    fn text(&self, file: &Path) -> String {
        format!("{}:{}: \"{}\": {}", file.display(), self.line, self.what, self.advice)
    }
}

/// The faults of the documentation and of the strings of a source.
fn of_source(tokens: TokenStream) -> Vec<Fault> {
    let mut found = Vec::new();
    for literal in literals::of(tokens.clone()) {
        found.extend(phrases(&literal.text).map(|fault| fault.at(literal.line)));
    }
    for comment in comments(tokens) {
        found.extend(beginning(&comment.text).map(|fault| fault.at(comment.line)));
        found.extend(phrases(&comment.text).map(|fault| fault.at(comment.line)));
    }
    found
}

/// The fault of the first line of a comment.
fn beginning(text: &str) -> Option<Fault> {
    let (_, advice) = BEGINNINGS.iter().find(|(beginning, _)| text.starts_with(beginning))?;
    let end = text.char_indices().nth(60).map_or(text.len(), |(end, _)| end);
    Some(Fault { line: 0, what: text[..end].to_owned(), advice })
}

/// The phrases in a text.
fn phrases(text: &str) -> impl Iterator<Item = Fault> + use<> {
    let text = text.to_lowercase();
    let found = PHRASES.iter().filter(move |(phrase, _)| text.contains(phrase));
    found.map(|&(phrase, advice)| Fault { line: 0, what: phrase.to_owned(), advice })
}

/// A comment that documents something: the line that it begins on, and its lines joined by spaces.
#[derive(Debug, PartialEq)]
struct Comment {
    line: usize,
    text: String,
}

fn comments(tokens: TokenStream) -> Vec<Comment> {
    let mut found: Vec<Comment> = Vec::new();
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
        match (doc(&group.stream()), found.last_mut()) {
            (Some(text), Some(comment)) if going_on.as_ref() == Some(&marked) => {
                comment.text.push(' ');
                comment.text.push_str(&text);
            }
            (Some(text), _) => {
                found.push(Comment { line: group.span().start().line, text });
                going_on = Some(marked);
            }
            (None, _) => {
                found.extend(comments(group.stream()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_told_from_their_later_lines() {
        let source = "//! Head.\n//! Of two lines.\n\n/// Of every buffer.\nstruct A {\n    /// One.\n    /// Of it.\n    a: u8,\n}";
        let tokens = source.parse().expect("the text should be Rust");
        let expected = [(1, "Head. Of two lines."), (4, "Of every buffer."), (6, "One. Of it.")];
        assert_eq!(comments(tokens), expected.map(|(line, text)| Comment { line, text: text.to_owned() }));
    }

    #[test]
    fn halves_of_sentences_are_refused() {
        for half in [
            "Of every buffer.",
            "The same for volumes.",
            "As [`run`], in turn.",
            "Is none.",
            "Likewise.",
            "And above this share.",
            "Elsewhere the system ends it.",
            "Has a row made.",
            "Then what is left.",
            "None: the identity.",
            "Those of Figure 5.",
            "So many points.",
        ] {
            assert!(beginning(half).is_some(), "{half}");
        }
        for whole in [
            "Offsets of rows.",
            "The same grid for both images.",
            "Whether it ran.",
            "Assigns a part.",
            "Andrews' curves.",
            "Orders by name.",
            "As long as this lives, nothing is written.",
            "Number of voxels.",
        ] {
            assert!(beginning(whole).is_none(), "{whole}");
        }
    }

    #[test]
    fn phrases_are_found_in_documentation_and_in_texts() {
        let source = "/// A map.\n/// It is none of\n/// a heart's.\nfn f() { g(\"Nobody asked\") }";
        let tokens = source.parse().expect("the text should be Rust");
        let found: Vec<_> = of_source(tokens).into_iter().map(|fault| (fault.line, fault.what)).collect();
        assert_eq!(found, [(4, "nobody".to_owned()), (1, "is none of".to_owned())]);
        assert_eq!(phrases("Text shown when a value is missing").count(), 0);
    }
}
