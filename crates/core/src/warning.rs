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
