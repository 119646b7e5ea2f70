//! Commands that make maps of maps: `veloxel compose` and `veloxel invert`.

mod compose;
mod invert;

pub(super) use compose::ComposeArguments;
pub(super) use invert::InvertArguments;
