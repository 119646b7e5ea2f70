//! What was found and mended in a mesh of triangles.

use crate::{WarningKind, Warnings};
use serde::Serialize;

/// What a mesh had beside good faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CleaningReport {
    /// Triangles of the mesh.
    pub triangles: usize,
    /// Those without an area: left out.
    pub flat: usize,
    /// Those with the corners of an earlier one: left out.
    pub duplicates: usize,
    /// Points in the place of an earlier one: joined with it.
    pub joined_points: usize,
    /// Edges of three faces or more.
    pub crowded_edges: usize,
    /// Edges of one face.
    pub border_edges: usize,
    /// Parts that no edge connects.
    pub components: usize,
    /// Faces that were turned over to agree with their neighbours.
    pub turned_faces: usize,
    /// Components, closed or nearly so, whose faces all looked inwards: turned over.
    pub turned_components: usize,
    /// Edges across which faces disagree, however they are turned.
    pub one_sided_edges: usize,
}

impl CleaningReport {
    /// Says what a user may have to act on.
    pub fn warn(&self, warnings: &mut Warnings) {
        let mut say = |count: usize, text: &str| {
            if count > 0 {
                warnings.push(WarningKind::Content, format!("{count} {text}"));
            }
        };
        say(self.flat, "faces without an area were left out; each belongs to the part of a face beside it");
        say(
            self.duplicates,
            "faces have the corners of another and were left out; each belongs to the part of that one",
        );
        say(self.crowded_edges, "edges belong to three faces or more: all of these count as neighbours");
        say(
            self.turned_faces,
            "faces were wound against their neighbours and were turned over, or concave would be convex",
        );
        say(self.turned_components, "components were wound inside out and were turned over");
        say(
            self.one_sided_edges,
            "edges cannot be wound consistently (a surface with one side): whether they are concave is not known",
        );
        if self.components > 1 {
            let text = format!("the mesh has {} components: no part spans two of them", self.components);
            warnings.push(WarningKind::Note, text);
        }
    }
}
