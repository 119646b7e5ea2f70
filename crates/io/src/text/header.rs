//! The text at the head of a volume file: values by name.

use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use std::collections::HashMap;
use std::str::FromStr;

/// The longest line of a header.
pub(crate) const LINE_LIMIT: usize = 1 << 16;

/// Values by name, as text.
#[derive(Default)]
pub(crate) struct Fields(HashMap<String, String>);

impl Fields {
    pub fn insert(&mut self, name: impl Into<String>, value: &str) {
        self.0.insert(name.into(), value.trim().to_owned());
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn require(&self, name: &str, context: &Context) -> Result<&str> {
        self.text(name).ok_or_else(|| context.malformed(name, "a value", "none"))
    }

    /// One value, if it is there; `expected` says what it should have been.
    pub fn value<T: FromStr>(&self, name: &str, expected: &str, context: &Context) -> Result<Option<T>> {
        let parsed = |text: &str| text.parse().map_err(|_| context.malformed(name, expected, quoted(text)));
        self.text(name).map(parsed).transpose()
    }

    /// As many words as `count`, if they are there.
    pub fn words(&self, name: &str, count: usize, context: &Context) -> Result<Option<Vec<&str>>> {
        let words = self.text(name).map(|text| text.split_whitespace().collect());
        words.map(|words| counted(name, words, count, context)).transpose()
    }

    /// As many numbers as `count`, if they are there.
    pub fn numbers(&self, name: &str, count: usize, context: &Context) -> Result<Option<Vec<f64>>> {
        let Some(words) = self.words(name, count, context)? else { return Ok(None) };
        let number = |word: &&str| word.parse().map_err(|_| context.malformed(name, "numbers", quoted(word)));
        words.iter().map(number).collect::<Result<_, _>>().map(Some)
    }

    /// The number of axes: 2 to 4.
    pub fn rank(&self, name: &str, context: &Context) -> Result<usize> {
        let text = self.require(name, context)?;
        let rank = text.parse().ok().filter(|rank| (2..=4).contains(rank));
        rank.ok_or_else(|| context.malformed(name, "2, 3 or 4", quoted(text)))
    }

    /// The size of every axis, at least 1.
    pub fn sizes(&self, name: &str, rank: usize, context: &Context) -> Result<Vec<usize>> {
        let words = self.words(name, rank, context)?;
        let words = words.ok_or_else(|| context.malformed(name, format!("{rank} sizes"), "none"))?;
        let size = |word: &&str| {
            let size = word.parse().ok().filter(|&n: &usize| n > 0);
            size.ok_or_else(|| context.malformed(name, "whole numbers of at least 1", quoted(word)))
        };
        words.iter().map(size).collect()
    }
}

/// Values of a field, if they are as many as they must be.
pub(crate) fn counted<T>(name: &str, values: Vec<T>, count: usize, context: &Context) -> Result<Vec<T>> {
    if values.len() == count {
        return Ok(values);
    }
    Err(context.malformed(name, format!("{count} values"), values.len()))
}

/// Values as the text of a header.
pub(crate) fn join<T: ToString>(values: &[T], separator: &str) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}
