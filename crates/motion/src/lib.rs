//! Methods that estimate dense motion: one file each, flat, named as the literature names them.

pub mod coarse_to_fine;
mod error;
pub mod multigrid;
mod observer;

pub use error::MotionError;
pub use observer::{Observer, Silent, Step};
