//! Texts in files: the headers of volume formats, JSON, and the words of texts of numbers.

pub(crate) mod header;
pub(crate) mod json;
pub(crate) mod quotation;
pub(crate) mod words;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;
