//! Reads sources: files, tokens, modules, names and functions.

pub mod functions;
pub mod modules;
pub mod names;
pub mod sources;
pub mod tokens;
