//! Fields in pictures: one plane for a file, slices to scroll through, a warped grid, and several methods in columns.

pub(crate) mod comparison;
pub(crate) mod disparity_picture;
pub(crate) mod field_picture;
pub(crate) mod field_thumbnail;
pub(crate) mod slices;
pub(crate) mod warped_grid;
