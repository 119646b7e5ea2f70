//! Settings by name on their way to a method's parameters.

use super::declaration::any_of;
use super::{MethodParameters, ParameterError, Parameters, Values};
use crate::grid::Dimension;
use serde_json::Value;

/// Below this likeness (Jaro-Winkler, 0 to 1) a name was not meant.
const LEAST_LIKENESS: f64 = 0.6;

/// A method, a preset, and settings that were checked when they were made; images need not be known.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    methods: &'static [MethodParameters],
    own: &'static MethodParameters,
    preset: &'static str,
    settings: Values,
}

impl Draft {
    /// The default preset of one of these methods.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with those that there are.
    pub fn new(methods: &'static [MethodParameters], method: &str) -> Result<Self, ParameterError> {
        let own = methods.iter().find(|m| m.method == method);
        let own =
            own.ok_or_else(|| wrong_method(method, any_of(methods.iter().map(|m| m.method.to_owned()))))?;
        let preset = own.presets.first().map_or("", |preset| preset.name);
        Ok(Self { methods, own, preset, settings: Values::new() })
    }

    /// The method's name.
    pub fn method(&self) -> &'static str {
        self.own.method
    }

    /// The name of the preset that everything starts from.
    pub fn preset(&self) -> &'static str {
        self.preset
    }

    /// Starts from another preset.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with those that there are.
    pub fn set_preset(&mut self, name: &str) -> Result<(), ParameterError> {
        self.own.preset(name, Dimension::Three)?;
        self.preset = self.own.presets.iter().find(|p| p.name == name).map_or(self.preset, |p| p.name);
        Ok(())
    }

    /// Takes a setting from `place`: an option, a file and line, or nothing; the last one of a name counts.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] or [`ParameterError::Value`].
    pub fn set(&mut self, name: &str, value: Value, place: &str) -> Result<(), ParameterError> {
        let declaration = self.own.find(name).ok_or_else(|| self.unknown(name, place))?;
        declaration.check(&value, place)?;
        self.settings.insert(name.to_owned(), value);
        Ok(())
    }

    fn unknown(&self, name: &str, place: &str) -> ParameterError {
        let likeness = |known: &&str| strsim::jaro_winkler(known, name);
        let nearest = (self.own.declarations.iter().map(|declaration| declaration.name))
            .filter(|known| likeness(known) >= LEAST_LIKENESS)
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let owner = self.methods.iter().find(|method| method.find(name).is_some());
        let hint = match (owner, nearest) {
            (Some(owner), _) => format!(", which belongs to {}", owner.method),
            (None, Some(nearest)) => format!(", the nearest is `{nearest}`"),
            (None, None) => String::new(),
        };
        let (name, method, place) = (name.to_owned(), self.own.method, place.to_owned());
        ParameterError::Unknown { name, method, hint, place }
    }

    /// The parameters for images or for volumes.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if the settings are for another method.
    pub fn build<P: Parameters>(&self, dimension: Dimension) -> Result<P, ParameterError> {
        self.over(&P::preset_named(self.preset, dimension)?)
    }

    /// Names and values of the parameters for images or for volumes.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn values(&self, dimension: Dimension) -> Result<Values, ParameterError> {
        self.own.with(self.preset, dimension, &self.settings)
    }

    /// The settings over a base other than the preset.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if the settings are for another method, or the base is not valid.
    pub fn over<P: Parameters>(&self, base: &P) -> Result<P, ParameterError> {
        if self.method() != P::METHOD {
            return Err(wrong_method(self.method(), P::METHOD.to_owned()));
        }
        base.with(&self.settings)
    }
}

fn wrong_method(got: &str, expected: String) -> ParameterError {
    ParameterError::Value { name: "method".to_owned(), got: got.to_owned(), expected, place: String::new() }
}
