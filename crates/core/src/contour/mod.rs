//! Closed outlines of structures in the planes of images, frame by frame.

mod crossings;
mod outline;
mod polygon;
mod set;

pub use polygon::{Polygon, PolygonRow};
pub use set::{Contour, ContourSet, Structure};
