//! Phase-based flow, stereo and features.

mod feature_accuracy;
mod features;
mod motion;
pub mod scene;
mod semi_global;
