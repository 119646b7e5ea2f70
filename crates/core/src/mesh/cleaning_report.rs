//! What was found and mended in a mesh of triangles.

use crate::warning::{WarningKind, Warnings};
use serde::Serialize;

/// What was found in a mesh of triangles, and mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CleaningReport {
    /// Triangles of the mesh.
    pub triangles: usize,
    /// Triangles without an area, which are left out.
    pub flat: usize,
    /// Triangles with the corners of an earlier one, which are left out.
    pub duplicates: usize,
    /// Points in the place of an earlier point, which are joined with it.
    pub joined_points: usize,
    /// Points of open edges that rounding alone kept from the place of another point; they are joined with it.
    pub seam_points: usize,
    /// Edges of three faces or more.
    pub crowded_edges: usize,
    /// Edges of one face.
    pub border_edges: usize,
    /// Parts that no edge connects.
    pub components: usize,
    /// Faces that were turned over to agree with their neighbours.
    pub turned_faces: usize,
    /// Components, closed or nearly so, whose faces all looked inwards and were turned over.
    pub turned_components: usize,
    /// Edges whose two faces disagree however they are turned.
    pub one_sided_edges: usize,
}

impl CleaningReport {
    /// Adds a warning for everything that a user may have to act on.
    pub fn warn(&self, warnings: &mut Warnings) {
        let mut say = |count: usize, one: &str, many: &str| match count {
            0 => (),
            1 => warnings.push(WarningKind::Content, one.to_owned()),
            _ => warnings.push(WarningKind::Content, format!("{count} {many}")),
        };
        say(
            self.flat,
            "a face without an area was left out; it belongs to the part of a face beside it",
            "faces without an area were left out; each belongs to the part of a face beside it",
        );
        say(
            self.duplicates,
            "a face has the corners of another and was left out; it belongs to the part of that one",
            "faces have the corners of another and were left out; each belongs to the part of that one",
        );
        say(
            self.seam_points,
            "a point of an open edge lies within rounding of another and was joined with it",
            "points of open edges lie within rounding of another and were joined with it",
        );
        say(
            self.crowded_edges,
            "an edge belongs to three faces or more: all of these count as neighbours",
            "edges belong to three faces or more: all of these count as neighbours",
        );
        say(
            self.turned_faces,
            "a face was wound against its neighbours and was turned over, or concave would be convex",
            "faces were wound against their neighbours and were turned over, or concave would be convex",
        );
        say(
            self.turned_components,
            "a component was wound inside out and was turned over",
            "components were wound inside out and were turned over",
        );
        say(
            self.one_sided_edges,
            "an edge cannot be wound consistently (a surface with one side): whether it is concave is not known",
            "edges cannot be wound consistently (a surface with one side): whether they are concave is not known",
        );
        if self.components > 1 {
            let text = format!("the mesh has {} components: no part spans two of them", self.components);
            warnings.push(WarningKind::Note, text);
        }
    }
}
