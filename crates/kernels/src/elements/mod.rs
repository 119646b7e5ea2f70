//! Finite elements: displacements of cubic Bézier elements on a regular lattice, and the least squares over them.
//!
//! [`lattice::Elements`] holds how pixels lie in elements. A *problem* is one image pair: a picture, a volume, or one slice of
//! a stack whose slices are estimated separately; kernels work on all problems of a batch in one launch.

pub mod conjugate_gradient;
mod gpu_block;
pub mod lattice;
pub mod lattice_fit;
pub mod least_squares_gradient;
pub mod least_squares_product;
pub mod matched_brightness;
pub mod nodal_confidence;
pub mod nodal_field;
mod projection;
pub mod residual;
pub mod row_tiles;
mod smoothing;
pub mod state;
pub mod unfolding;
