//! Fields of displacements: found, compared, composed, and what they move.

pub mod compare;
pub mod errors;
pub mod evaluate_files;
pub mod field;
pub mod flow;
pub mod flow_files;
pub mod maps;
pub mod maps_files;
pub mod points;
pub mod resident;
pub mod resident_sequence;
pub mod warp;
pub mod warp_files;
