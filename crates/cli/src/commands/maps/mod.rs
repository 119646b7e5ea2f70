//! Commands that make maps of maps: `veloxel compose` and `veloxel invert`.

pub(super) mod compose;
pub(super) mod invert;
