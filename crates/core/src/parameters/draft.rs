//! Settings by name on their way to a method's parameters.

use super::declaration::any_of;
use super::{MethodParameters, ParameterError, ParameterValues, Parameters};
use crate::grid::Dimension;
use serde_json::Value;
use std::fmt;

/// Below this likeness (Jaro-Winkler, 0 to 1) a name was not meant.
const LEAST_LIKENESS: f64 = 0.6;

/// An entry of a table of methods of one kind: of those that estimate dense flow, say, or of those that find the parts of a mesh.
///
/// Two entries are equal if they are one and the same method.
pub trait MethodEntry: PartialEq + 'static {
    /// The entries that names are looked up in; the first is the one that faces begin with.
    fn table() -> &'static [Self]
    where
        Self: Sized;

    /// The method's name, its parameters and its presets.
    fn parameters(&self) -> &MethodParameters;
}

/// A method, a preset, and settings that were checked when they were made; images need not be known.
///
/// The method is an entry of a table of its kind, or one that another program declares. Drafts of two kinds of methods are two
/// types.
#[derive(PartialEq)]
pub struct MethodDraft<M: MethodEntry> {
    method: &'static M,
    preset: &'static str,
    settings: ParameterValues,
}

impl<M: MethodEntry> Clone for MethodDraft<M> {
    fn clone(&self) -> Self {
        Self { method: self.method, preset: self.preset, settings: self.settings.clone() }
    }
}

impl<M: MethodEntry> fmt::Debug for MethodDraft<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { preset, settings, .. } = self;
        let mut shown = f.debug_struct("Draft");
        shown
            .field("method", &self.method_name())
            .field("preset", preset)
            .field("settings", settings)
            .finish()
    }
}

impl<M: MethodEntry> Default for MethodDraft<M> {
    /// The default preset of the first method of the table.
    ///
    /// # Panics
    /// If the table is empty.
    fn default() -> Self {
        Self::new(M::table().first().expect("a table of methods should not be empty"))
    }
}

impl<M: MethodEntry> MethodDraft<M> {
    /// The default preset of a method, which need not be one of the table.
    pub fn new(method: &'static M) -> Self {
        let preset = method.parameters().presets.first().map_or("", |preset| preset.name);
        Self { method, preset, settings: ParameterValues::new() }
    }

    /// The default preset of a method of the table.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with the methods of the table.
    pub fn named(method: &str) -> Result<Self, ParameterError> {
        let own = M::table().iter().find(|entry| entry.parameters().method == method);
        let all = || any_of(M::table().iter().map(|entry| entry.parameters().method.to_owned()));
        Ok(Self::new(own.ok_or_else(|| wrong_method(method, all()))?))
    }

    /// The method.
    pub fn method(&self) -> &'static M {
        self.method
    }

    /// The method's name.
    pub fn method_name(&self) -> &'static str {
        self.parameters().method
    }

    /// The name of the preset that everything starts from.
    pub fn preset(&self) -> &'static str {
        self.preset
    }

    /// The names of the parameters that were set.
    pub fn settings(&self) -> impl Iterator<Item = &str> {
        self.settings.keys().map(String::as_str)
    }

    fn parameters(&self) -> &'static MethodParameters {
        self.method.parameters()
    }

    /// Starts from another preset.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with those that there are.
    pub fn set_preset(&mut self, name: &str) -> Result<(), ParameterError> {
        let own = self.parameters();
        own.preset(name, Dimension::Three)?;
        self.preset = own.presets.iter().find(|p| p.name == name).map_or(self.preset, |p| p.name);
        Ok(())
    }

    /// Takes a setting from `place`: an option, a file and line, or nothing; the last one of a name counts.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] or [`ParameterError::Value`].
    pub fn set(&mut self, name: &str, value: Value, place: &str) -> Result<(), ParameterError> {
        let declaration = self.parameters().find(name).ok_or_else(|| self.unknown(name, place))?;
        declaration.check(&value, place)?;
        self.settings.insert(name.to_owned(), value);
        Ok(())
    }

    fn unknown(&self, name: &str, place: &str) -> ParameterError {
        let likeness = |known: &&str| strsim::jaro_winkler(known, name);
        let nearest = (self.parameters().declarations.iter().map(|declaration| declaration.name))
            .filter(|known| likeness(known) >= LEAST_LIKENESS)
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let owner = M::table().iter().map(M::parameters).find(|other| other.find(name).is_some());
        let hint = match (owner, nearest) {
            (Some(owner), _) => format!(", which belongs to {}", owner.method),
            (None, Some(nearest)) => format!(", the nearest is `{nearest}`"),
            (None, None) => String::new(),
        };
        let (name, method, place) = (name.to_owned(), self.method_name(), place.to_owned());
        ParameterError::Unknown { name, method, hint, place }
    }

    /// The parameters for images or for volumes.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if the settings are for another method.
    pub fn build<P: Parameters>(&self, dimension: Dimension) -> Result<P, ParameterError> {
        self.require::<P>()?;
        self.over(&P::preset_named(self.preset, dimension)?)
    }

    /// Names and values of the parameters for images or for volumes.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn values(&self, dimension: Dimension) -> Result<ParameterValues, ParameterError> {
        self.parameters().with(self.preset, dimension, &self.settings)
    }

    /// The settings over a base other than the preset.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if the settings are for another method, or the base is not valid.
    pub fn over<P: Parameters>(&self, base: &P) -> Result<P, ParameterError> {
        self.require::<P>()?;
        base.with(&self.settings)
    }

    /// Checks the declarations and not the name alone: another program may declare a method of the same name.
    fn require<P: Parameters>(&self) -> Result<(), ParameterError> {
        let is_own = *self.parameters() == MethodParameters::of::<P>();
        if is_own { Ok(()) } else { Err(wrong_method(self.method_name(), P::METHOD.to_owned())) }
    }
}

fn wrong_method(got: &str, expected: String) -> ParameterError {
    ParameterError::Value { name: "method".to_owned(), got: got.to_owned(), expected, place: String::new() }
}
