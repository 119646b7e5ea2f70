//! Phase-based flow, stereo and features.

mod delivered;
mod feature_accuracy;
mod features;
mod motion;
mod narrow;
pub mod scene;
mod semi_global;
