//! Tables, lists and outlines in files: what lies on no grid of voxels.

pub(crate) mod calibration;
pub(crate) mod cine_place;
pub(crate) mod cloud;
pub(crate) mod contours;
pub(crate) mod face_labels;
pub(crate) mod graphs;
pub(crate) mod matrix;
pub(crate) mod npy;
pub(crate) mod points;
pub(crate) mod positions;
pub(crate) mod records;
pub(crate) mod slicer;
