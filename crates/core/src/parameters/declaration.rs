//! What is declared of a parameter, and whether a value fits it.

use super::ParameterError;
use serde_json::{Map, Value};

/// A parameter: its name, symbol, meaning and type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterDeclaration {
    /// The name in the struct, in settings and in files.
    pub name: &'static str,
    /// The symbol in the paper; empty without one.
    pub symbol: &'static str,
    /// Whole sentences: what it does, and what happens at both ends of the range.
    pub meaning: &'static str,
    /// Its type, with the values allowed.
    pub kind: ParameterKind,
}

/// The values that a parameter can take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterKind {
    /// A number.
    Number {
        /// Whether it counts something.
        whole: bool,
        /// The least value allowed.
        least: f64,
        /// The largest value allowed.
        most: f64,
        /// The range as declared: `0 to 16`.
        range: &'static str,
        /// The unit; empty without one.
        unit: &'static str,
    },
    /// One of these words.
    OneOf(&'static [ParameterChoice]),
}

/// A word that a parameter can be, with what belongs to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterChoice {
    /// The word, in kebab case.
    pub name: &'static str,
    /// What it means, with its source.
    pub meaning: &'static str,
    /// Numbers that the word needs beside it.
    pub fields: &'static [ParameterDeclaration],
}

impl ParameterChoice {
    /// The word as settings have it: `quadratic`, or `{ charbonnier = { epsilon = a number from 1e-6 to 1000 } }`.
    fn form(&self) -> String {
        let fields: Vec<_> = self.fields.iter().map(|f| format!("{} = {}", f.name, f.expected())).collect();
        if fields.is_empty() {
            return self.name.to_owned();
        }
        format!("{{ {} = {{ {} }} }}", self.name, fields.join(", "))
    }
}

impl ParameterDeclaration {
    /// What a value has to be: `a number from 0 to 16 voxels`, or `jacobi, sor or multigrid`.
    pub fn expected(&self) -> String {
        match self.kind {
            ParameterKind::Number { whole, range, unit, .. } => {
                let number = if whole { "a whole number" } else { "a number" };
                format!("{number} from {range} {unit}").trim_end().to_owned()
            }
            ParameterKind::OneOf(choices) => any_of(choices.iter().map(ParameterChoice::form)),
        }
    }

    /// Whether a value, from `place`, fits.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with what was expected.
    pub fn check(&self, value: &Value, place: &str) -> Result<(), ParameterError> {
        self.check_as(self.name, value, place)
    }

    fn check_as(&self, name: &str, value: &Value, place: &str) -> Result<(), ParameterError> {
        let wrong = || ParameterError::Value {
            name: name.to_owned(),
            got: shown(value),
            expected: self.expected(),
            place: place.to_owned(),
        };
        let choices = match self.kind {
            ParameterKind::Number { whole, least, most, .. } => {
                let fits = value.as_f64().is_some_and(|v| (least..=most).contains(&v));
                return if fits && (!whole || value.is_u64()) { Ok(()) } else { Err(wrong()) };
            }
            ParameterKind::OneOf(choices) => choices,
        };
        let (word, given) = match value {
            Value::String(word) => (word, None),
            Value::Object(table) if table.len() == 1 => {
                table.iter().next().map(|(word, fields)| (word, fields.as_object())).ok_or_else(wrong)?
            }
            _ => return Err(wrong()),
        };
        let choice = choices.iter().find(|choice| choice.name == word).ok_or_else(wrong)?;
        if given.map_or(0, Map::len) != choice.fields.len() || given.is_none() != choice.fields.is_empty() {
            return Err(wrong());
        }
        choice.fields.iter().try_for_each(|field| {
            let value = given.and_then(|given| given.get(field.name)).ok_or_else(wrong)?;
            field.check_as(&format!("{name}.{}", field.name), value, place)
        })
    }
}

/// A value as settings have it: TOML, with words that need no quotes.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NaN or infinite".to_owned(),
        Value::String(word) if !word.is_empty() => word.clone(),
        Value::Object(fields) => {
            let fields: Vec<_> = fields.iter().map(|(k, v)| format!("{k} = {}", shown(v))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// The words as a list: `a, b or c`.
pub(super) fn any_of(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<_> = words.collect();
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} or {last}", words.join(", ")),
        last => last.unwrap_or_default(),
    }
}
