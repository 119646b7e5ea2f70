//! Benches of accuracy: results compared with exact motion, ground truth and outlines that people drew.

pub(crate) mod acdc;
pub(crate) mod best_parameters;
pub(crate) mod breathing;
pub(crate) mod cine;
pub(crate) mod confidence;
pub(crate) mod error_time;
pub(crate) mod large_motion;
pub(crate) mod local;
pub(crate) mod matching;
pub(crate) mod middlebury;
pub(crate) mod nirep;
pub(crate) mod phantoms;
pub(crate) mod repeated_texture;
pub(crate) mod segmentation;
pub(crate) mod true_fields;
pub(crate) mod volume_preservation;
