//! Checks of what people read: errors, documentation, and what pages name as their evidence.

pub mod evidence;
pub mod flags;
pub mod words;
