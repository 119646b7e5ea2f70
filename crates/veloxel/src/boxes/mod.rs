//! Images and tiles in files, as the pipelines take them that work in parts.

mod box_files;
mod choice;
mod file_boxes;
mod found_fields;
mod store_sink;
mod sum_files;
mod tile_files;
#[cfg(feature = "remote")]
mod tiles_at_address;

pub(crate) use box_files::{BoxFiles, input_state};
pub(crate) use choice::is_in_boxes;
pub(crate) use file_boxes::FileBoxes;
pub(crate) use found_fields::FoundFields;
pub(crate) use sum_files::SumFiles;
pub(crate) use tile_files::{RunTiles, TileFiles, TilesBeside};
#[cfg(feature = "remote")]
pub(crate) use tiles_at_address::TilesAtAddress;
