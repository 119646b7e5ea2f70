//! Finite-element models as volumes: their nodes' motion is the truth.

use super::KnownMotion;
use crate::accuracy::volume_preservation::MOUSE_SPACING;
use crate::scores::measured::Measured;
use crate::{BenchError, Session};
use veloxel_core::Warnings;
use veloxel_io::{Strictness, read_mesh};
use veloxel_phantoms::{RasteriseParams, rasterise_pair};

/// An item, its meshes at rest and moved below the data folder, and the edge of a voxel in the mesh's unit.
const MODELS: [(&str, [&str; 2], f64); 3] = [
    (
        "mouse ventricle, 0 to 8",
        ["mouse_lv_fe/position_0000.vtk", "mouse_lv_fe/position_0008.vtk"],
        MOUSE_SPACING,
    ),
    (
        "mouse ventricle, 0 to 16",
        ["mouse_lv_fe/position_0000.vtk", "mouse_lv_fe/position_0016.vtk"],
        MOUSE_SPACING,
    ),
    (
        "cylinder, 0 to 20",
        ["cylinder_torsion/position_0000.vtk", "cylinder_torsion/position_0020.vtk"],
        0.039,
    ),
];

/// A model, in its tissue.
pub(crate) fn models(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let model = MODELS.into_iter().find(|(name, ..)| *name == item);
    let (_, files, spacing) = model.expect("an item should be a model of the list");
    let [Some(rest), Some(moved)] = files.map(|file| session.data(&format!("cardiac/{file}"))) else {
        return Ok(Vec::new());
    };
    // What follows the cells of these files is not used: there is nothing to say of it.
    let mesh = |path| read_mesh(path, Strictness::Lenient, &mut Warnings::new());
    let (rest, moved) = (mesh(&rest)?, mesh(&moved)?);
    let phantom = rasterise_pair(&rest, &rest, &moved, &RasteriseParams::new([spacing; 3]))?;
    let images = [&phantom.fixed, &phantom.moving];
    KnownMotion { images, truth: &phantom.truth, within: phantom.muscle.as_ref() }.errors(session, ways)
}
