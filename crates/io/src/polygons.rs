//! Faces on their way from a file to a mesh: corners one polygon after the other, and points that become one where they lie in one
//! place.

use crate::content::{Content, Decoded};
use crate::context::Context;
use crate::error::Result;
use crate::memory::room_for;
use std::collections::HashMap;
use veloxel_core::TriangleMesh;

/// Points, and polygons over them.
#[derive(Default)]
pub(crate) struct Polygons {
    pub points: Vec<[f64; 3]>,
    /// One polygon after the other.
    pub corners: Vec<u32>,
    /// Corners of each polygon.
    pub counts: Vec<u32>,
}

impl Polygons {
    /// Room for so many points and faces, within the budget.
    pub fn with_room(points: usize, faces: usize, context: &Context) -> Result<Self> {
        Ok(Self {
            points: room_for(points, context)?,
            corners: room_for(faces.saturating_mul(3), context)?,
            counts: room_for(faces, context)?,
        })
    }

    /// The mesh.
    pub fn decoded(self, context: &Context) -> Result<Decoded> {
        // Triangles, and the face of each.
        context.claim(16 * self.corners.len() as u64)?;
        let mesh = TriangleMesh::of_polygons(self.points, &self.corners, &self.counts);
        let content = Content::Surface(mesh.map_err(|error| context.core(error))?);
        Ok(Decoded { content, sample_type: "triangles".to_owned() })
    }
}

/// Points of formats that repeat a point for every face at it: those with the same coordinates are one.
#[derive(Default)]
pub(crate) struct WeldedPoints {
    pub points: Vec<[f64; 3]>,
    index_of: HashMap<[u64; 3], u32>,
}

impl WeldedPoints {
    /// Bytes that a point takes, in the table as well.
    pub const POINT_BYTES: u64 = 96;

    /// The index of a point.
    pub fn index(&mut self, point: [f64; 3]) -> u32 {
        // -0 and 0 are one place.
        let key = point.map(|c| (c + 0.0).to_bits());
        *self.index_of.entry(key).or_insert_with(|| {
            self.points.push(point);
            (self.points.len() - 1) as u32
        })
    }
}
