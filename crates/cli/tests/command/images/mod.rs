//! Images by the command: filters, pictures and measures of fields, pairs on two grids, planes in space, and NumPy's arrays.

mod arrays;
mod field_pictures;
mod filter;
mod measures_of_fields;
mod planes;
mod stores;
mod two_grids;
