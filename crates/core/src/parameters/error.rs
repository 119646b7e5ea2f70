//! What can be wrong with a setting, and how to mend it.

use crate::diagnosis::{Diagnosis, ErrorKind, Hint};

/// A setting that a method does not take.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A value of another type, or out of its range.
    #[error("{}parameter `{name}` is {got}, expected {expected}", prefix(place))]
    Value {
        /// The parameter, `median.radius` for a number that belongs to a word; or `preset`, or `method`.
        name: String,
        /// The value given.
        got: String,
        /// The type, the range and the unit, or the words that there are.
        expected: String,
        /// The option, or the file and line; empty if a program gave the value.
        place: String,
    },
    /// A name that the method does not know.
    #[error("{}{method} has no parameter `{name}`{hint}", prefix(place))]
    Unknown {
        /// The name given.
        name: String,
        /// The method.
        method: &'static str,
        /// The name that was probably meant, or the method that knows it; may be empty.
        hint: String,
        /// The option, or the file and line; empty if a program gave the name.
        place: String,
    },
}

fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}

impl Diagnosis for ParameterError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Parameter
    }
    fn hint(&self) -> Option<Hint> {
        matches!(self, Self::Unknown { .. }).then_some(Hint::Parameters)
    }
}
