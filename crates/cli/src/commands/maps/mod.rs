//! Commands that make maps of maps: `veloxel compose` and `veloxel invert`.

mod compose;
mod invert;

use super::Entry;

/// `veloxel compose` in the list of commands.
pub(super) const COMPOSE: Entry =
    Entry::of::<compose::ComposeArguments>("compose", "concatenate chain transforms combine");
/// `veloxel invert` in the list of commands.
pub(super) const INVERT: Entry = Entry::of::<invert::InvertArguments>("invert", "inverse inverse-transform");
