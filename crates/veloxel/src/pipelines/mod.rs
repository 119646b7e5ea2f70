//! Pipelines: values in, values out. Everything that a command does between decoded files and encoded ones is here, callable in
//! memory with a [`Session`](crate::Session) whose observer can follow and stop it.

pub(crate) mod account;
pub mod distances;
pub mod heart;
pub(crate) mod memory_plan;
pub(crate) mod prepare;
pub mod segment;

pub use account::{Account, Stages};
