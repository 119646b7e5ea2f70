//! Texts in files: the headers of volume formats, and the words of texts of numbers.

pub(crate) mod header;
pub(crate) mod words;
