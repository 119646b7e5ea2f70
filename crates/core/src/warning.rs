//! Warnings: what was assumed, changed or left out. Each is said once, and every face shows all of them.

use crate::diagnosis::Hint;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The family a warning belongs to; scripts test for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WarningKind {
    /// A header said something impossible or unusual; the text says what was assumed instead.
    Header,
    /// Samples were changed: colour to luminance, more bits to fewer, an alpha channel dropped.
    Samples,
    /// An image carries no information where it should.
    Content,
    /// A solver stopped without reaching its tolerance.
    Convergence,
    /// Images lie on grids of their own.
    Grid,
    /// The field folds (det ≤ 0) or another promise about it could not be kept.
    Field,
    /// A statement of what is done with every input of its kind, which asks for no action: reports hold it, terminals do not
    /// show it.
    Note,
}

/// One thing a user should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The family.
    pub kind: WarningKind,
    /// One sentence: what, where, what was assumed.
    pub message: String,
    /// The input or option that it is about, where there is one; a face adds how it spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// What the sentence sums up, one by one, where there is more than a reader takes in at a glance: reports hold it all, pages
    /// unfold it, terminals show the sentence alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

impl Warning {
    /// A warning of one sentence.
    pub fn new(kind: WarningKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, details: Vec::new() }
    }
}

impl fmt::Display for Warning {
    /// Writes the sentence, without the input or option that a face spells in its own way.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Warnings that differ in their numbers alone and are still said one by one.
const MOST_ALIKE: usize = 3;

/// A sentence with one sign for each number.
fn without_numbers(message: &str) -> String {
    let mut plain = String::with_capacity(message.len());
    for c in message.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        if c != '#' || !plain.ends_with('#') {
            plain.push(c);
        }
    }
    plain
}

/// Warnings, collected from every floor that a run passes through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a warning, unless the collection has the very same one.
    pub fn push(&mut self, kind: WarningKind, message: impl Into<String>) {
        self.add(Warning::new(kind, message));
    }
    /// Adds a warning as [`Self::push`] does, with the input or option that it is about.
    pub fn push_with_hint(&mut self, kind: WarningKind, hint: Hint, message: impl Into<String>) {
        self.add(Warning { hint: Some(hint), ..Warning::new(kind, message) });
    }
    /// Adds a warning, unless the collection has the very same one.
    pub fn add(&mut self, warning: Warning) {
        if !self.0.contains(&warning) {
            self.0.push(warning);
        }
    }
    /// Adds all warnings of another collection.
    pub fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|warning| self.add(warning));
    }
    /// Makes one warning of those that differ in their numbers alone, as those of the frames of a sequence do, where there are more
    /// than three: it is the first one, says how many more there are, and has all of them as its details.
    pub fn sum_up(&mut self) {
        let mut groups: Vec<(Warning, Vec<Warning>)> = Vec::new();
        for warning in self.0.drain(..) {
            let kind = Warning { message: without_numbers(&warning.message), ..warning.clone() };
            match groups.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, alike)) => alike.push(warning),
                None => groups.push((kind, vec![warning])),
            }
        }
        for (_, alike) in groups {
            if alike.len() <= MOST_ALIKE || alike.iter().any(|warning| !warning.details.is_empty()) {
                self.0.extend(alike);
                continue;
            }
            let details: Vec<String> = alike.iter().map(|warning| warning.message.clone()).collect();
            let more = alike.len() - 1;
            let message = format!("{}; {more} more say the same with other numbers", details[0]);
            self.0.extend(alike.into_iter().next().map(|first| Warning { message, details, ..first }));
        }
    }
    /// The warnings that a user may have to act on, in the order in which they came up: all except notes.
    pub fn urgent(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter().filter(|warning| warning.kind != WarningKind::Note)
    }
    /// All warnings, in the order in which they came up.
    pub fn iter(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter()
    }
    /// Whether there is no warning.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_that_differ_in_numbers_alone_are_one() {
        let mut warnings = Warnings::new();
        for frame in 0..20 {
            warnings.push(WarningKind::Content, format!("frame {frame}: {} of 65536 samples", 7960 - frame));
            if frame < 3 {
                warnings.push(WarningKind::Header, format!("slice {frame} lies elsewhere"));
            }
        }
        warnings.push(WarningKind::Header, "frame 3: 8 of 65536 samples");
        warnings.sum_up();
        let said: Vec<&str> = warnings.iter().map(|warning| &*warning.message).collect();
        let first = "frame 0: 7960 of 65536 samples; 19 more say the same with other numbers";
        let others = ["slice 0 lies elsewhere", "slice 1 lies elsewhere", "slice 2 lies elsewhere"];
        assert_eq!(said, [&[first], &others[..], &["frame 3: 8 of 65536 samples"]].concat());
        let details = &warnings.iter().next().unwrap().details;
        assert_eq!((details.len(), &*details[19]), (20, "frame 19: 7941 of 65536 samples"));
        let once = warnings.clone();
        warnings.sum_up();
        assert_eq!(warnings, once);
    }
}
