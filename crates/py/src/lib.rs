//! Veloxel as an extension module of Python, `veloxel._veloxel`.
//!
//! This floor converts and waits, and computes nothing: arrays become volumes, a call becomes a request of
//! [`veloxel::pipelines`], which runs without the lock of the interpreter while this thread looks after signals. What users call is
//! the package `veloxel` in `python/veloxel`, which turns their images into the classes here.

mod arrays;
mod batch;
mod cameras;
mod command;
mod devices;
mod error;
mod evaluate;
mod fields;
mod files;
mod filter;
mod frames;
mod image;
mod meshes;
mod phantom;
mod pictures;
mod resident_stereo;
mod running;
mod session;
mod settings;
mod stereo;
mod tensors;

use pyo3::prelude::*;

/// Estimates dense motion and correspondence; `veloxel` is the module to import.
#[pymodule(gil_used = false)]
mod _veloxel {
    #[pymodule_export]
    use crate::batch::batch;
    #[pymodule_export]
    use crate::cameras::{point_cloud, read_cameras, write_cloud};
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::devices::devices;
    #[pymodule_export]
    use crate::evaluate::{
        evaluate_disparity, evaluate_flow, evaluate_labels, evaluate_segmentation, read_face_labels,
    };
    #[pymodule_export]
    use crate::fields::compare::compare;
    #[pymodule_export]
    use crate::fields::errors::{covariance, expected_error, probability};
    #[pymodule_export]
    use crate::fields::evaluate_files::{evaluate_flow_files, evaluate_label_files};
    #[pymodule_export]
    use crate::fields::field::Field;
    #[pymodule_export]
    use crate::fields::flow::{FlowFound, flow, sequence, starts};
    #[pymodule_export]
    use crate::fields::flow_files::{FlowTiles, flow_files, sequence_files};
    #[pymodule_export]
    use crate::fields::maps::{Transform, compose, invert, is_named_transform, read_transform};
    #[pymodule_export]
    use crate::fields::maps_files::{compose_files, invert_files};
    #[pymodule_export]
    use crate::fields::points::move_points;
    #[pymodule_export]
    use crate::fields::resident::{ResidentFound, resident_flow};
    #[pymodule_export]
    use crate::fields::resident_sequence::{ResidentSteps, resident_sequence};
    #[pymodule_export]
    use crate::fields::warp::{jacobian, strain, warp_image, warp_labels};
    #[pymodule_export]
    use crate::fields::warp_files::{warp_image_files, warp_labels_files};
    #[pymodule_export]
    use crate::files::{info, read_field, read_image, read_labels, read_sequence, write};
    #[pymodule_export]
    use crate::filter::filter;
    #[pymodule_export]
    use crate::frames::contours::{
        evaluate_contour_files, evaluate_contours, fit_contours, label_outlines, read_contours,
        write_contours,
    };
    #[pymodule_export]
    use crate::frames::delivered::Delivered;
    #[pymodule_export]
    use crate::frames::engine::{Engine, StreamFound};
    #[pymodule_export]
    use crate::frames::feed::Frames;
    #[pymodule_export]
    use crate::frames::heart::{HeartFound, track};
    #[pymodule_export]
    use crate::frames::resident::{ResidentStream, ResidentStreamFound};
    #[pymodule_export]
    use crate::frames::tracks::{Tracks, track_points};
    #[pymodule_export]
    use crate::image::Image;
    #[pymodule_export]
    use crate::meshes::distances::{distances, graph_distances};
    #[pymodule_export]
    use crate::meshes::mesh::{Mesh, read_mesh, segment};
    #[pymodule_export]
    use crate::phantom::{phantom, phantoms};
    #[pymodule_export]
    use crate::pictures::{disparity_picture, field_picture};
    #[pymodule_export]
    use crate::resident_stereo::{ResidentStereo, resident_features, resident_stereo};
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::settings::{methods, parameters};
    #[pymodule_export]
    use crate::stereo::{StereoFound, features, stereo};
    #[pymodule_export]
    use crate::tensors::DeviceTensor;

    use super::error;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        error::add_to(module)
    }
}
