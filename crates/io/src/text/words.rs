//! The words of a text of numbers, with comments from `#` to the end of a line.

use crate::error::Result;
use crate::read::context::Context;
use crate::text::numbers::{DECIMAL_POINT, Number, float, has_decimal_comma, may_be_thousands};
use crate::text::quotation::quoted_bytes;
use std::fmt::Display;

/// Bytes of a text, or of numbers, that are gone over between two questions whether to go on: a few milliseconds of work.
const BLOCK_BYTES: usize = 1 << 16;

/// A place in a text, from where words and lines are taken.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where it was asked last whether to go on.
    asked_at: usize,
    /// Whether lines end with carriage returns alone.
    has_returns: bool,
    /// What fractions begin with, as far as that is known.
    fractions: Fractions,
    /// In messages: `the OFF file`.
    title: &'static str,
}

/// What fractions of a text begin with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fractions {
    /// No fraction has come yet.
    Unknown,
    /// A point.
    Points,
    /// A comma.
    Commas,
}

impl Fractions {
    /// Looks what the fraction of a word begins with: with a comma only where no other of the text has a point, and one cannot mean
    /// thousands. `rest` is the text behind the word.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) with the word.
    pub fn look(&mut self, word: &[u8], rest: &[u8], title: &str, context: &Context) -> Result<()> {
        let is_pointed = word.contains(&b'.');
        if !is_pointed && !word.contains(&b',') {
            return Ok(());
        }
        let own = if is_pointed { Self::Points } else { Self::Commas };
        if *self == own || !as_text(word).is_some_and(|word| is_pointed || has_decimal_comma(word)) {
            return Ok(());
        }
        let is_right = *self == Self::Unknown && (is_pointed || are_commas(word, rest));
        let expected = format!("{DECIMAL_POINT}, in all of the file");
        context.require(is_right, format!("a fraction of {title}"), expected, quoted_bytes(word))?;
        *self = own;
        Ok(())
    }
}

/// Whether a word and those behind it tell that commas begin fractions.
fn are_commas(first: &[u8], rest: &[u8]) -> bool {
    let rest = rest.split(u8::is_ascii_whitespace);
    let rest = rest.filter(|word| word.iter().any(|c| matches!(c, b'.' | b',')));
    let mut is_proven = false;
    for word in std::iter::once(first).chain(rest).filter_map(as_text) {
        if has_decimal_comma(word) {
            is_proven |= !may_be_thousands(word);
        } else if float(word).is_some() {
            return false;
        }
    }
    is_proven
}

impl<'a> Words<'a> {
    pub fn new(bytes: &'a [u8], title: &'static str) -> Self {
        let first = bytes.iter().position(|c| matches!(c, b'\n' | b'\r'));
        let has_returns = first.is_some_and(|end| bytes[end] == b'\r' && bytes.get(end + 1) != Some(&b'\n'));
        Self { bytes, at: 0, asked_at: 0, has_returns, fractions: Fractions::Unknown, title }
    }

    /// The next word; empty at the end of the text.
    pub fn word(&mut self) -> &'a [u8] {
        loop {
            let rest = self.rest();
            let start = rest.iter().position(|c| !c.is_ascii_whitespace()).unwrap_or(rest.len());
            self.at += start;
            if self.bytes.get(self.at) != Some(&b'#') {
                break;
            }
            self.line();
        }
        let rest = self.rest();
        let is_end = |c: &u8| c.is_ascii_whitespace() || *c == b'#';
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The rest of the line, without its end.
    pub fn line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let end = if self.has_returns { b'\r' } else { b'\n' };
        let length = rest.iter().position(|&c| c == end).unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        &rest[..length]
    }

    /// The words of the rest of the line, without a comment.
    pub fn words_of_line(&mut self) -> Vec<&'a [u8]> {
        let text = self.line().split(|&c| c == b'#').next().unwrap_or_default();
        text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
    }

    /// The words of the rest of the line, or of the next one that has any; none at the end of the text.
    pub fn content_line(&mut self) -> Vec<&'a [u8]> {
        while !self.is_at_end() {
            let words = self.words_of_line();
            if !words.is_empty() {
                return words;
            }
        }
        Vec::new()
    }

    /// Whether nothing is left, not even blanks.
    pub fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// The next word as a text.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.word()).into_owned()
    }

    /// The next word as a number.
    pub fn number<T: Number>(&mut self, what: impl Display, context: &Context) -> Result<T> {
        self.value(what, "a number", |_| true, context)
    }

    /// The next word as a value that is allowed; `expected` says which ones are.
    pub fn value<T: Number>(
        &mut self,
        what: impl Display,
        expected: &str,
        allowed: impl Fn(&T) -> bool,
        context: &Context,
    ) -> Result<T> {
        self.ask(context)?;
        let word = self.word();
        self.fractions.look(word, &self.bytes[self.at..], self.title, context)?;
        parse(word).filter(allowed).ok_or_else(|| match word.is_empty() {
            true => context.truncated(self.title, self.bytes.len() as u64 + 1, self.bytes.len() as u64),
            false => context.malformed(what.to_string(), expected, quoted_bytes(word)),
        })
    }

    /// Asks whether to go on, where a block of bytes was gone over since the last time.
    fn ask(&mut self, context: &Context) -> Result<()> {
        if self.at - self.asked_at >= BLOCK_BYTES {
            self.asked_at = self.at;
            context.check()?;
        }
        Ok(())
    }

    /// Three coordinates.
    pub fn point(&mut self, context: &Context) -> Result<[f64; 3]> {
        const WHAT: &str = "a coordinate";
        Ok([self.number(WHAT, context)?, self.number(WHAT, context)?, self.number(WHAT, context)?])
    }

    /// Refuses a count that the bytes that are left cannot hold, at so many bytes each; the last byte may be missing.
    pub fn require(&self, count: usize, bytes_each: u64, context: &Context) -> Result<()> {
        // The last number needs no blank behind it.
        let needed = (count as u64).saturating_mul(bytes_each).saturating_sub(1);
        context.require_bytes(self.title, needed, self.rest().len() as u64)
    }

    /// The next bytes, as they are.
    pub fn bytes(&mut self, count: usize, context: &Context) -> Result<&'a [u8]> {
        self.ask(context)?;
        let rest = self.rest();
        context.require_bytes(self.title, count as u64, rest.len() as u64)?;
        self.at += count;
        Ok(&rest[..count])
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Warns of words behind the content.
    pub fn finish(mut self, context: &mut Context) {
        if !self.word().is_empty() {
            context.trailing(None);
        }
    }
}

/// A number as text.
pub(crate) fn parse<T: Number>(word: &[u8]) -> Option<T> {
    T::of(as_text(word)?)
}

fn as_text(word: &[u8]) -> Option<&str> {
    std::str::from_utf8(word).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strictness;
    use std::path::Path;
    use veloxel_core::Warnings;

    fn numbers(text: &str) -> Result<Vec<f64>> {
        let mut warnings = Warnings::new();
        let context = Context::new(Path::new("a.off"), Strictness::Lenient, &mut warnings);
        let mut words = Words::new(text.as_bytes(), "the OFF file");
        let mut numbers = Vec::new();
        let count = text.split_whitespace().count();
        for _ in 0..count {
            numbers.push(words.number("a coordinate", &context)?);
        }
        Ok(numbers)
    }

    #[test]
    fn a_comma_begins_a_fraction_where_nothing_else_can_be_meant() {
        assert_eq!(numbers("1,5 2 -0,250").unwrap(), [1.5, 2.0, -0.25]);
        assert_eq!(numbers("1,500 2,25").unwrap(), [1.5, 2.25]);
        for text in ["1,500 2", "1.5 2,5", "2,5 1.5", "1,2,3", "1, 2"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lines_may_end_with_carriage_returns_alone() {
        let mut words = Words::new(b"ply\rformat\r\n1", "the PLY file");
        assert_eq!([words.line(), words.line(), words.line()], [&b"ply"[..], b"format", b"\n1"]);
    }
}
