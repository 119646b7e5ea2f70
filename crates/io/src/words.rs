//! The words of a text of numbers, with comments from `#` to the end of a line.

use crate::context::Context;
use crate::error::Result;
use crate::text_header::excerpt;
use std::str::FromStr;

/// A place in a text, from where words and lines are taken.
pub(crate) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// In messages: `the OFF file`.
    title: &'static str,
}

impl<'a> Words<'a> {
    pub fn new(bytes: &'a [u8], title: &'static str) -> Self {
        Self { bytes, at: 0, title }
    }

    /// The next word; empty at the end of the text.
    pub fn word(&mut self) -> &'a [u8] {
        loop {
            let rest = &self.bytes[self.at..];
            let start = rest.iter().position(|c| !c.is_ascii_whitespace()).unwrap_or(rest.len());
            self.at += start;
            if self.bytes.get(self.at) != Some(&b'#') {
                break;
            }
            self.line();
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|c| c.is_ascii_whitespace()).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The rest of the line, without its end.
    pub fn line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        &rest[..length]
    }

    /// Whether nothing is left, not even blanks.
    pub fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// The next word as a number.
    pub fn number<T: FromStr>(&mut self, what: &str, context: &Context) -> Result<T> {
        let word = self.word();
        parse(word).ok_or_else(|| match word.is_empty() {
            true => context.truncated(self.title, self.bytes.len() as u64 + 1, self.bytes.len() as u64),
            false => context.malformed(what, "a number", excerpt(&String::from_utf8_lossy(word))),
        })
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
        let there = (self.bytes.len() - self.at) as u64;
        if needed > there { Err(context.truncated(self.title, needed, there)) } else { Ok(()) }
    }

    /// The next bytes, as they are.
    pub fn take(&mut self, bytes: &mut [u8], context: &Context) -> Result<()> {
        self.require(bytes.len() + 1, 1, context)?;
        bytes.copy_from_slice(&self.bytes[self.at..self.at + bytes.len()]);
        self.at += bytes.len();
        Ok(())
    }

    /// Warns of words behind the content.
    pub fn finish(mut self, context: &mut Context) {
        if !self.word().is_empty() {
            context.trailing(None);
        }
    }
}

/// A number as text.
pub(crate) fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
