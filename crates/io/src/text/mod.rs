//! Texts in files: how they are stored, the headers of volume formats, JSON, and the words and rows of texts of numbers.

pub(crate) mod encoding;
pub(crate) mod header;
pub(crate) mod json;
pub(crate) mod numbers;
pub(crate) mod quotation;
pub(crate) mod rows;
pub(crate) mod words;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;
