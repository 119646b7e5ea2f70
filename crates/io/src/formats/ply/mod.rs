//! PLY, the Stanford polygon format: points and polygons with properties, text or binary in either byte order.
//!
//! *Specification*: Greg Turk, "The PLY Polygon File Format", 1994.
//! *Compatible implementations*: MeshLab, trimesh, PyVista.
//! *Read*: `x`, `y`, `z` of `vertex`, the list `vertex_indices` (or `vertex_index`) of `face`, and that of `tristrips`, whose strips end
//! at −1; other properties and elements are skipped.
//! *Written*: binary little-endian triangles with `red green blue alpha`, `quality` and `segment` of each face; coordinates as floats
//! where these hold them exactly, else as doubles.

use crate::format::Format;

mod header;
mod numbers;
mod reader;
mod strips;
mod writer;

pub(super) static FORMAT: Format =
    Format { write_painted: Some(writer::write), ..Format::surface("ply", "PLY", &["ply"], reader::read) };
