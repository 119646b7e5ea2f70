//! What jobs read besides single images: masks, frames of sequences and streams, true fields.

pub(crate) mod cine_place;
pub(crate) mod flow_inputs;
pub(crate) mod frame_feed;
pub(crate) mod frame_selection;
pub(crate) mod input_error;
pub(crate) mod mask_file;
pub(crate) mod read_ahead;
pub(crate) mod sequence_truth;
