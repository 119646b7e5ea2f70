//! What can be wrong with a setting, and how to mend it.

/// A setting that no method takes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A value of another type, or out of its range.
    #[error("{}parameter `{name}` is {got}, expected {expected}", prefix(place))]
    Value {
        /// The parameter; `median.radius` for a number that belongs to a word.
        name: String,
        /// The value given.
        got: String,
        /// The type, the range and the unit.
        expected: String,
        /// The option, or the file and line; empty: a program.
        place: String,
    },
    /// A name that no method knows.
    #[error(
        "{}{method} has no parameter `{name}`{}; `veloxel parameters {method}` lists all", prefix(place),
        nearest.map_or_else(String::new, |nearest| format!(", the nearest is `{nearest}`"))
    )]
    Unknown {
        /// The name given.
        name: String,
        /// The method.
        method: &'static str,
        /// The name that was probably meant.
        nearest: Option<&'static str>,
        /// The option, or the file and line; empty: a program.
        place: String,
    },
    /// A name that only another method knows.
    #[error(
        "{}`{name}` is a parameter of {owner}, but the method is {method}; `veloxel parameters {method}` lists \
         those of {method}",
        prefix(place)
    )]
    OfAnotherMethod {
        /// The name given.
        name: String,
        /// The method it belongs to.
        owner: &'static str,
        /// The method.
        method: &'static str,
        /// The option, or the file and line; empty: a program.
        place: String,
    },
    /// A preset that the method does not have.
    #[error("{method} has no preset `{name}`, expected {expected}")]
    Preset {
        /// The name given.
        name: String,
        /// The method.
        method: &'static str,
        /// Its presets.
        expected: String,
    },
    /// No such method, or settings of one for another.
    #[error("the method is `{name}`, expected {expected}")]
    Method {
        /// The name given.
        name: String,
        /// What would be right.
        expected: String,
    },
}

fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}
