//! Settings by name on their way to a method's parameters.

use super::declaration::any_of;
use super::{MethodParameters, ParameterError, Parameters, Values};
use crate::Dimension;
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
    /// [`ParameterError::Method`] with those that there are.
    pub fn new(methods: &'static [MethodParameters], method: &str) -> Result<Self, ParameterError> {
        let own = methods.iter().find(|m| m.method == method).ok_or_else(|| ParameterError::Method {
            name: method.to_owned(),
            expected: any_of(methods.iter().map(|m| m.method.to_owned())),
        })?;
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
    /// [`ParameterError::Preset`] with those that there are.
    pub fn set_preset(&mut self, name: &str) -> Result<(), ParameterError> {
        self.own.preset(name, Dimension::Three)?;
        self.preset = self.own.presets.iter().find(|p| p.name == name).map_or(self.preset, |p| p.name);
        Ok(())
    }

    /// Takes a setting from `place`: an option, a file and line, or nothing; the last one of a name counts.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`], [`ParameterError::OfAnotherMethod`] or [`ParameterError::Value`].
    pub fn set(&mut self, name: &str, value: Value, place: &str) -> Result<(), ParameterError> {
        let declaration = self.own.find(name).ok_or_else(|| self.unknown(name, place))?;
        declaration.check(&value, place)?;
        self.settings.insert(name.to_owned(), value);
        Ok(())
    }

    fn unknown(&self, name: &str, place: &str) -> ParameterError {
        let (name, method, place) = (name.to_owned(), self.own.method, place.to_owned());
        if let Some(owner) = self.methods.iter().find(|m| m.find(&name).is_some()) {
            return ParameterError::OfAnotherMethod { name, owner: owner.method, method, place };
        }
        let likeness = |known: &&str| strsim::jaro_winkler(known, &name);
        let nearest = (self.own.declarations.iter().map(|declaration| declaration.name))
            .filter(|known| likeness(known) >= LEAST_LIKENESS)
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        ParameterError::Unknown { name, method, nearest, place }
    }

    /// The parameters for images or for volumes.
    ///
    /// # Errors
    /// [`ParameterError::Method`] if the settings are for another method.
    pub fn build<P: Parameters>(&self, dimension: Dimension) -> Result<P, ParameterError> {
        self.over(&P::preset_named(self.preset, dimension)?)
    }

    /// The settings over a base other than the preset.
    ///
    /// # Errors
    /// [`ParameterError::Method`] if the settings are for another method, [`ParameterError::Value`] if the base is not valid.
    pub fn over<P: Parameters>(&self, base: &P) -> Result<P, ParameterError> {
        if self.method() != P::METHOD {
            let (name, expected) = (self.method().to_owned(), P::METHOD.to_owned());
            return Err(ParameterError::Method { name, expected });
        }
        let mut values = base.to_json();
        values.extend(self.settings.clone());
        let params: P = serde_json::from_value(values.into()).expect("checked settings should fit");
        params.validate()?;
        Ok(params)
    }
}
