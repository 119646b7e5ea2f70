//! The words of a text of numbers, with comments from `#` to the end of a line.

use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted_bytes;
use std::fmt::Display;
use std::str::FromStr;

/// Bytes of a text, or of numbers, that are gone over between two questions whether to go on: a few milliseconds of work.
const BLOCK_BYTES: usize = 1 << 16;

/// A place in a text, from where words and lines are taken.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where it was asked last whether to go on.
    asked_at: usize,
    /// In messages: `the OFF file`.
    title: &'static str,
}

impl<'a> Words<'a> {
    pub fn new(bytes: &'a [u8], title: &'static str) -> Self {
        Self { bytes, at: 0, asked_at: 0, title }
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
        let length = rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        &rest[..length]
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
    pub fn number<T: FromStr>(&mut self, what: impl Display, context: &Context) -> Result<T> {
        self.value(what, "a number", |_| true, context)
    }

    /// The next word as a value that is allowed; `expected` says which ones are.
    pub fn value<T: FromStr>(
        &mut self,
        what: impl Display,
        expected: &str,
        allowed: impl Fn(&T) -> bool,
        context: &Context,
    ) -> Result<T> {
        self.ask(context)?;
        let word = self.word();
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

/// The lines of a text, numbered from 1, without blanks at their ends; none that is blank, or begins with one of the `comments`.
pub(crate) fn lines<'a>(text: &'a str, comments: &'static [char]) -> impl Iterator<Item = (usize, &'a str)> {
    let numbered = text.lines().enumerate().map(|(nth, line)| (nth + 1, line.trim()));
    numbered.filter(move |(_, line)| !line.is_empty() && !line.starts_with(comments))
}

/// Whether a line has a comma between two digits beside other separators, as spreadsheets of half of the world write fractions:
/// `0;1;2,5`. Read as a separator it would make two numbers of one.
pub(crate) fn has_decimal_comma(line: &str) -> bool {
    let bytes = line.as_bytes();
    let is_fraction =
        |three: &[u8]| three[1] == b',' && three[0].is_ascii_digit() && three[2].is_ascii_digit();
    let is_blank_alone = |three: &[u8]| {
        let is_part = |byte: u8| !byte.is_ascii_whitespace() && byte != b',';
        three[1].is_ascii_whitespace() && is_part(three[0]) && is_part(three[2])
    };
    bytes.windows(3).any(is_fraction) && (line.contains(';') || bytes.windows(3).any(is_blank_alone))
}

/// What is expected where a line has such a comma.
pub(crate) const DECIMAL_POINT: &str = "fractions with a point, such as 2.5 (a comma parts columns)";

/// A number as text.
pub(crate) fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::has_decimal_comma;

    #[test]
    fn decimal_commas_stand_beside_other_separators() {
        for line in ["0;1;2,5", "12,2; 10,0", "0 1 2,5", "0\t1\t2,5", "1,5 2,5", "1,2;3,4"] {
            assert!(has_decimal_comma(line), "{line}");
        }
        for line in ["0,1,2.5", "0, 1, 2.5", "0 , 1 , 2.5", "0;1;2.5", "0 1 2.5", "endo,0,0,1,2", "", "1,2"] {
            assert!(!has_decimal_comma(line), "{line}");
        }
    }
}
