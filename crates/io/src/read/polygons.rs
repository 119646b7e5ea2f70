//! Faces on their way from a file to a mesh: corners one polygon after the other, and points that become one where they lie in one
//! place.

use crate::content::{Content, Decoded};
use crate::error::{IoError, Result};
use crate::read::context::Context;
use std::collections::HashMap;
use veloxel_core::{TriangleMesh, WarningKind};

/// Points, and polygons over them.
#[derive(Default)]
pub(crate) struct Polygons {
    pub points: Vec<[f64; 3]>,
    /// One polygon after the other.
    pub corners: Vec<u32>,
    /// Corners of each polygon.
    pub counts: Vec<u32>,
    /// The place in a texture of every corner; none where there is no texture.
    pub texture: Vec<[f32; 2]>,
}

impl Polygons {
    /// Room for so many points and faces, within the budget.
    pub(crate) fn with_room(points: usize, faces: usize, context: &Context) -> Result<Self> {
        Ok(Self {
            points: context.room_for(points)?,
            corners: context.room_for(faces.saturating_mul(3))?,
            counts: context.room_for(faces)?,
            texture: Vec::new(),
        })
    }

    /// The next corner; faces of many of them outgrow their room.
    pub fn corner(&mut self, corner: u32, context: &Context) -> Result<()> {
        if self.corners.len() == self.corners.capacity() {
            context.claim(4 * self.corners.len() as u64)?;
        }
        self.corners.push(corner);
        Ok(())
    }

    /// The mesh.
    ///
    /// # Errors
    /// [`IoError::Unsupported`] for points without faces, [`IoError::Core`] for what is no mesh, and those of `context`.
    pub fn decoded(self, context: &mut Context) -> Result<Decoded> {
        if self.counts.is_empty() && !self.points.is_empty() {
            return Err(without_faces(self.points.len(), context));
        }
        // Triangles, and the face of each.
        context.claim(16 * self.corners.len() as u64)?;
        if self.texture.len() == self.corners.len() {
            context.claim(24 * self.corners.len() as u64)?;
        }
        let is_bad = |point: &&[f64; 3]| !point.iter().all(|c| c.is_finite());
        let nowhere = self.points.iter().filter(is_bad).count();
        let mesh =
            TriangleMesh::of_textured_polygons(self.points, &self.corners, &self.counts, &self.texture);
        let mesh = mesh.map_err(|error| context.core(error))?;
        if nowhere > 0 {
            let text =
                format!("{nowhere} points of no face have coordinates that are not finite and do not count");
            context.note(WarningKind::Samples, text);
        }
        let content = Content::Surface(mesh);
        Ok(Decoded { content, sample_type: "triangles".to_owned() })
    }
}

/// Points without faces: what to do with them.
pub(crate) fn without_faces(points: usize, context: &Context) -> IoError {
    let what = format!("a file of {points} points and no faces");
    context.unsupported(what, "make a surface of them (MeshLab: Screened Poisson) and save the mesh")
}

/// Triangles of formats that repeat a point for every face at it: points with the same coordinates are one.
#[derive(Default)]
pub(crate) struct Triangles {
    points: Vec<[f64; 3]>,
    index_of: HashMap<[u64; 3], u32>,
    corners: Vec<u32>,
    /// The place in a texture of every corner, as far as all have one.
    texture: Vec<[f32; 2]>,
}

impl Triangles {
    /// Bytes that a corner takes at most, its point in the table as well.
    const CORNER_BYTES: u64 = 112;

    /// Room for so many more corners, within the budget.
    pub fn reserve(&mut self, corners: usize, context: &Context) -> Result<()> {
        context.claim((corners as u64).saturating_mul(Self::CORNER_BYTES))?;
        self.corners.reserve(corners);
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// The next corner, and its place in a texture where it has one.
    pub fn corner(&mut self, point: [f64; 3], place: Option<[f32; 2]>) {
        // -0 and 0 are one place.
        let key = point.map(|c| (c + 0.0).to_bits());
        let index = *self.index_of.entry(key).or_insert_with(|| {
            self.points.push(point);
            (self.points.len() - 1) as u32
        });
        self.corners.push(index);
        self.texture.extend(place);
    }

    /// The mesh.
    pub fn decoded(self, context: &mut Context) -> Result<Decoded> {
        let counts = vec![3; self.corners.len() / 3];
        let Self { points, corners, texture, .. } = self;
        Polygons { points, corners, counts, texture }.decoded(context)
    }
}
