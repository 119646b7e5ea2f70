//! Rays through a mesh: what each meets first, or whether it meets anything.

mod findings;
mod ray;
mod tree;
mod triangle;
mod turned_box;

pub use findings::RayFindings;
pub(crate) use ray::Ray;
pub(crate) use tree::{RayTree, Search};
