//! Images and tiles in files, as the pipelines take them that work in parts.

mod choice;
mod file_boxes;
mod store_sink;
mod tile_files;

pub(crate) use choice::is_in_boxes;
pub(crate) use file_boxes::FileBoxes;
pub(crate) use tile_files::{TileFiles, TilesBeside};
