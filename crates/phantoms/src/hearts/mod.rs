//! Beating hearts: a left ventricle in 3-D, and a short-axis cine.

pub(crate) mod beat;
pub(crate) mod cine;
pub(crate) mod heart;
pub(crate) mod heart_motion;
mod heart_picture;
mod monotone;
