//! What was assumed, changed or left out: said once, collected in one place, shown by every face.

use crate::diagnosis::Hint;
use serde::Serialize;

/// The family a warning belongs to; scripts test for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
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
    /// Nothing to act on: what is done with every input of its kind. Reports hold it, terminals do not show it.
    Note,
}

/// One thing a user should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The family.
    pub kind: WarningKind,
    /// One sentence: what, where, what was assumed.
    pub message: String,
    /// The input or option that it is about, where there is one; a face adds how it spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
}

/// Collects warnings on the way through the floors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds one, unless the very same was said already.
    pub fn push(&mut self, kind: WarningKind, message: impl Into<String>) {
        self.add(Warning { kind, message: message.into(), hint: None });
    }
    /// [`Self::push`] with the input or option that the warning is about.
    pub fn push_with_hint(&mut self, kind: WarningKind, hint: Hint, message: impl Into<String>) {
        self.add(Warning { kind, message: message.into(), hint: Some(hint) });
    }
    /// Adds a warning, unless the very same was said already.
    pub fn add(&mut self, warning: Warning) {
        if !self.0.contains(&warning) {
            self.0.push(warning);
        }
    }
    /// Takes over another collection.
    pub fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|warning| self.add(warning));
    }
    /// Those that a user may have to act on, in the order in which they came up: all but notes.
    pub fn urgent(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter().filter(|warning| warning.kind != WarningKind::Note)
    }
    /// All, in the order in which they came up.
    pub fn iter(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter()
    }
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
