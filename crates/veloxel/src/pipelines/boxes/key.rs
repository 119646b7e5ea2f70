//! What decides the parts of a result that a run keeps: those of an ended run are taken where all of it is the same.

use serde_json::{Map, Value};

/// All that decides the parts of a run, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsKey(Map<String, Value>);

impl PartsKey {
    /// A key with these entries, and the version of this program.
    pub fn of(entries: impl IntoIterator<Item = (String, Value)>) -> Self {
        let version = ("version".to_owned(), Value::from(env!("CARGO_PKG_VERSION")));
        Self(std::iter::once(version).chain(entries).collect())
    }

    /// As one line of text.
    pub fn line(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }

    /// The name of the first entry that another line has otherwise; none where all are the same.
    pub fn differs_from(&self, line: &str) -> Option<String> {
        let other: Map<String, Value> = serde_json::from_str(line).unwrap_or_default();
        // Both as they are written: numbers keep their digits.
        let own: Map<String, Value> = serde_json::from_str(&self.line()).unwrap_or_default();
        let mut names = own.keys().chain(other.keys());
        names.find(|name| own.get(*name) != other.get(*name)).cloned()
    }
}
