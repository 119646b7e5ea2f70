//! Reads sources: files, tokens, modules, names, functions and strings.

pub mod functions;
pub mod literals;
pub mod modules;
pub mod names;
pub mod sources;
pub mod tokens;
