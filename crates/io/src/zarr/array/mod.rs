//! What the metadata of an array say.

mod fill;
pub(crate) mod sample_type;
mod version_three;
mod version_two;

use crate::error::Result;
use crate::read::context::Context;
use crate::text::json;
use crate::text::quotation::quoted;
use crate::zarr::array::sample_type::SampleType;
use crate::zarr::codecs::Codecs;
use crate::zarr::fields::Fields;
use crate::zarr::store::{Store, joined};
use serde_json::Value;

pub(crate) use fill::Fill;

/// Axes that arrays have at most here.
const MOST_AXES: usize = 8;

/// An array of chunks.
#[derive(Debug, Clone)]
pub(crate) struct Array {
    /// The key of its node.
    pub node: String,
    /// Samples along each axis, the slowest first.
    pub shape: Vec<usize>,
    /// Samples of a chunk, that is of what has one key, along each axis.
    pub chunk: Vec<usize>,
    pub sample: SampleType,
    /// What samples of a missing chunk are.
    pub fill: Fill,
    pub keys: ChunkKeys,
    pub codecs: Codecs,
    /// The names of its axes, where it says them.
    pub names: Vec<Option<String>>,
}

/// How keys of chunks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkKeys {
    /// Whether they begin with `c`.
    pub is_marked: bool,
    pub separator: char,
}

/// A node of the hierarchy.
pub(crate) enum Node {
    Array(Box<Array>),
    /// Its attributes.
    Group(Value),
}

impl Node {
    /// The node of a key; none if there is none.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) or [`IoError::Unsupported`](crate::IoError::Unsupported) for metadata that
    /// cannot be followed.
    pub fn at(store: &Store, node: &str, context: &Context) -> Result<Option<Self>> {
        if let Some(found) = version_three::node(store, node, context)? {
            return Ok(Some(found));
        }
        version_two::node(store, node, context)
    }
}

impl Array {
    /// The key of a chunk by its number along each axis.
    pub fn key(&self, chunk: &[usize]) -> String {
        let separator = self.keys.separator;
        let mut key = if self.keys.is_marked { "c".to_owned() } else { String::new() };
        for number in chunk {
            if !key.is_empty() {
                key.push(separator);
            }
            key += &number.to_string();
        }
        // An array without axes has one chunk.
        joined(&self.node, if key.is_empty() { "0" } else { &key })
    }

    /// Refuses shapes that cannot be.
    fn checked(self, name: &str, context: &Context) -> Result<Self> {
        let axes = self.shape.len();
        let name = quoted(name);
        context.require((1..=MOST_AXES).contains(&axes), format!("{name}: shape"), "1 to 8 axes", axes)?;
        let expected = format!("{axes} sizes");
        context.require(self.chunk.len() == axes, format!("{name}: chunks"), expected, self.chunk.len())?;
        for (what, sizes) in [("shape", &self.shape), ("chunks", &self.chunk)] {
            let bytes = sizes.iter().try_fold(16usize, |product, size| product.checked_mul(*size));
            context.require(bytes.is_some(), format!("{name}: {what}"), "a product below 2^60", "more")?;
        }
        Ok(self)
    }
}

/// The metadata of a key as JSON; none if they are not there.
fn parsed(store: &Store, key: &str, context: &Context) -> Result<Option<Value>> {
    let Some(text) = store.metadata(key, context)? else { return Ok(None) };
    let value = json::parse(&text, "the metadata", "an object of JSON", context)?;
    context.require(value.is_object(), quoted(key), "an object of JSON", "something else")?;
    Ok(Some(value))
}

/// An object of metadata by name.
fn fields<'v>(value: &'v Value, key: &'v str) -> Fields<'v> {
    Fields { value, name: key }
}
