//! The parameters of a method: as a struct, and without their type for tables of methods.

use super::declaration::any_of;
use super::{ParameterChoice, ParameterDeclaration, ParameterError, ParameterKind};
use crate::grid::Dimension;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Parameters by name, as JSON.
pub type ParameterValues = Map<String, Value>;

/// The struct of a method's parameters; [`parameters!`](crate::parameters!) implements it.
pub trait Parameters: Clone + Serialize + DeserializeOwned {
    /// The presets.
    type Preset: Copy + DeserializeOwned;
    /// The method's name, as on the command line.
    const METHOD: &'static str;
    /// Every parameter, in the order of the table.
    const DECLARATIONS: &'static [ParameterDeclaration];
    /// Every preset; the first is the default.
    const PRESETS: &'static [ParameterChoice];

    /// The values of a preset for images or for volumes.
    fn preset(preset: Self::Preset, dimension: Dimension) -> Self;

    /// The values of a preset by its name.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with those that there are.
    fn preset_named(name: &str, dimension: Dimension) -> Result<Self, ParameterError> {
        let preset = serde_json::from_value(name.into());
        preset.map(|preset| Self::preset(preset, dimension)).map_err(|_| ParameterError::Value {
            name: "preset".to_owned(),
            got: name.to_owned(),
            expected: any_of(Self::PRESETS.iter().map(|preset| preset.name.to_owned())),
            place: Self::METHOD.to_owned(),
        })
    }

    /// Names and values, with no more digits than the values were given with.
    fn to_json(&self) -> ParameterValues {
        // By way of text, because 0.1 as f32 is 0.10000000149 as f64.
        serde_json::to_string(self)
            .and_then(|text| serde_json::from_str(&text))
            .expect("a struct of numbers and words should be a JSON object")
    }

    /// A copy of the parameters in which settings, each of them checked, replace some values.
    ///
    /// # Errors
    /// As [`validate`](Self::validate).
    ///
    /// # Panics
    /// If a setting has the name of no parameter, or a value of another type.
    fn with(&self, settings: &ParameterValues) -> Result<Self, ParameterError> {
        let mut values = self.to_json();
        values.extend(settings.clone());
        let params: Self = serde_json::from_value(values.into()).expect("checked settings should fit");
        params.validate()?;
        Ok(params)
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with the first parameter that lies outside.
    fn validate(&self) -> Result<(), ParameterError> {
        let values = self.to_json();
        Self::DECLARATIONS.iter().try_for_each(|d| d.check(&values[d.name], ""))
    }
}

/// The parameters of a method without their type, as an entry of a table of methods.
#[derive(Debug, Clone, Copy)]
pub struct MethodParameters {
    /// The method's name, as on the command line.
    pub method: &'static str,
    /// Every parameter, in the order of the table.
    pub declarations: &'static [ParameterDeclaration],
    /// Every preset; the first is the default.
    pub presets: &'static [ParameterChoice],
    preset_named: fn(&str, Dimension) -> Result<ParameterValues, ParameterError>,
    build: fn(&str, Dimension, &ParameterValues) -> Result<ParameterValues, ParameterError>,
}

impl PartialEq for MethodParameters {
    /// Whether both declare the same.
    fn eq(&self, other: &Self) -> bool {
        // Not their functions: a compiler may give one function two addresses.
        (self.method, self.declarations, self.presets) == (other.method, other.declarations, other.presets)
    }
}

impl MethodParameters {
    /// The parameters of a struct.
    pub const fn of<P: Parameters>() -> Self {
        Self {
            method: P::METHOD,
            declarations: P::DECLARATIONS,
            presets: P::PRESETS,
            preset_named: |name, dimension| P::preset_named(name, dimension).map(|preset| preset.to_json()),
            build: |preset, dimension, settings| {
                P::preset_named(preset, dimension)?.with(settings).map(|params| params.to_json())
            },
        }
    }

    /// Names and values of a preset.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with those that there are.
    pub fn preset(&self, name: &str, dimension: Dimension) -> Result<ParameterValues, ParameterError> {
        (self.preset_named)(name, dimension)
    }

    /// Names and values of a preset with settings in place of some of its values.
    ///
    /// # Errors
    /// As [`preset`](Self::preset), and as [`Parameters::with`].
    ///
    /// # Panics
    /// As [`Parameters::with`].
    pub fn with(
        &self,
        preset: &str,
        dimension: Dimension,
        settings: &ParameterValues,
    ) -> Result<ParameterValues, ParameterError> {
        (self.build)(preset, dimension, settings)
    }

    /// The parameter of this name.
    pub fn find(&self, name: &str) -> Option<&'static ParameterDeclaration> {
        self.declarations.iter().find(|declaration| declaration.name == name)
    }

    /// The JSON schema (draft 2020-12) of a file of parameters. Beside its words, `x-symbol` and `x-unit` hold symbol and unit,
    /// and `x-presets` the values in each preset for images and for volumes.
    pub fn schema(&self) -> Value {
        let values: Vec<_> = (self.presets.iter())
            .flat_map(|preset| {
                let of = |dimension| self.preset(preset.name, dimension).unwrap_or_default();
                [Dimension::Two, Dimension::Three].map(|dimension| (preset.name, of(dimension)))
            })
            .collect();
        let property = |declaration: &ParameterDeclaration| {
            let mut schema = declaration.schema();
            let mut presets = Map::new();
            for (preset, values) in &values {
                let each = presets.entry(*preset).or_insert_with(|| json!([]));
                each.as_array_mut().into_iter().for_each(|each| each.push(values[declaration.name].clone()));
            }
            schema.insert("x-presets".to_owned(), presets.into());
            (declaration.name.to_owned(), schema.into())
        };
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("Parameters of {}", self.method),
            "type": "object",
            "additionalProperties": false,
            "properties": self.declarations.iter().map(property).collect::<Map<_, _>>(),
        })
    }
}

impl ParameterDeclaration {
    fn schema(&self) -> Map<String, Value> {
        let mut schema = Map::from_iter([("description".to_owned(), self.meaning.into())]);
        let mut say = |key: &str, value: Value| drop(schema.insert(key.to_owned(), value));
        if !self.symbol.is_empty() {
            say("x-symbol", self.symbol.into());
        }
        match self.kind {
            ParameterKind::Number { whole, least, most, unit, .. } => {
                say("type", if whole { "integer" } else { "number" }.into());
                say("minimum", least.into());
                say("maximum", most.into());
                if !unit.is_empty() {
                    say("x-unit", unit.into());
                }
            }
            ParameterKind::OneOf(choices) => {
                say("oneOf", choices.iter().map(ParameterChoice::schema).collect())
            }
        }
        schema
    }
}

impl ParameterChoice {
    fn schema(&self) -> Value {
        if self.fields.is_empty() {
            return json!({ "const": self.name, "description": self.meaning });
        }
        let object = |properties: Map<String, Value>| {
            json!({
                "type": "object",
                "required": properties.keys().collect::<Vec<_>>(),
                "additionalProperties": false,
                "properties": properties,
            })
        };
        let fields = self.fields.iter().map(|field| (field.name.to_owned(), field.schema().into()));
        let mut schema = object(Map::from_iter([(self.name.to_owned(), object(fields.collect()))]));
        schema["description"] = self.meaning.into();
        schema
    }
}
