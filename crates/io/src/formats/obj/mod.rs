//! Wavefront OBJ: points and polygons of a text, with their texture coordinates; groups, normals and materials are left out.
//!
//! *Specification*: Wavefront Technologies, "Advanced Visualizer Manual", appendix B1, Object Files.
//! *Compatible implementations*: MeshLab, Blender, trimesh.
//! *Written*: a group `part_00`, `part_01`, … for each part, with the polygons of the file that the mesh came from where they lie in
//! one part, and texture coordinates where the mesh has some.
//! *Limits*: points, lines, curves and free-form surfaces are left out with a note, and refused by name where there are no polygons;
//! the file has no end of its own, so that a cut one cannot be told.

mod left_out;
mod lines;
mod reader;
mod writer;

use crate::format::Format;

pub(super) static FORMAT: Format =
    Format { write_painted: Some(writer::write), ..Format::surface("obj", "OBJ", &["obj"], reader::read) };
