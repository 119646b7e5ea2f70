//! Checks of texts for people: errors, documentation, and the evidence that pages name.

pub mod evidence;
pub mod flags;
pub mod words;
