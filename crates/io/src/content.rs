//! The content of a file: an image, a sequence of frames, a flow, a mesh, or a surface.

use crate::error::Result;
use crate::read::context::Context;
use serde::Serialize;
use veloxel_core::{Flow, Grid, Sequence, TetMesh, TriangleMesh, Volume};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContentKind {
    /// One picture or volume.
    Image,
    /// Frames over time.
    Sequence,
    /// A displacement field.
    Flow,
    /// Tetrahedra over points.
    Mesh,
    /// Triangles over points.
    Surface,
}

/// An image, frames over time, a displacement field, a mesh or a surface.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// One picture or volume.
    Image(Volume<f32>),
    /// Frames over time.
    Sequence(Sequence),
    /// A displacement field, in voxels in memory whatever the file's unit.
    Flow(Flow),
    /// Tetrahedra over points, in the file's own length unit.
    Mesh(TetMesh),
    /// Triangles over points, in the file's own length unit.
    Surface(TriangleMesh),
}

impl Content {
    /// An image if there is one frame, else a sequence.
    pub(crate) fn of_frames(
        mut frames: Vec<Volume<f32>>,
        interval_ms: Option<f64>,
        context: &Context,
    ) -> Result<Self> {
        Ok(match frames.len() {
            1 => Self::Image(frames.remove(0)),
            _ => Self::Sequence(Sequence::new(frames, interval_ms).map_err(|e| context.core(e))?),
        })
    }

    /// What it is, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Image(v) => format!("an image of {}", v.grid().size_text()),
            Self::Sequence(s) => {
                format!("a sequence of {} frames of {}", s.frames().len(), s.grid().size_text())
            }
            Self::Flow(f) => format!("a displacement field of {}", f.grid().size_text()),
            Self::Mesh(m) => format!("a mesh of {} tetrahedra", m.tetrahedra.len()),
            Self::Surface(m) => format!("a surface of {} triangles", m.triangles().len()),
        }
    }
}

/// Content, and the name of the sample type that it has in the file.
pub(crate) struct Decoded {
    pub content: Content,
    pub sample_type: String,
}

/// Vectors that are put on a grid between two questions whether to go on.
const VECTORS_BETWEEN: usize = 1 << 18;

impl Decoded {
    /// The field of a picture, pixels; a vector of which a component is unknown is unknown.
    pub fn flow(
        grid: Grid,
        vectors: impl Iterator<Item = [f32; 2]>,
        sample_type: &str,
        context: &Context,
    ) -> Result<Self> {
        let mut planar = context.room_for(2 * grid.len())?;
        planar.resize(2 * grid.len(), 0.0);
        let (u, v) = planar.split_at_mut(grid.len());
        for (nth, (vector, (u, v))) in vectors.zip(u.iter_mut().zip(v)).enumerate() {
            if nth.is_multiple_of(VECTORS_BETWEEN) {
                context.check()?;
            }
            let is_known = vector.iter().all(|component| !component.is_nan());
            [*u, *v] = if is_known { vector } else { [f32::NAN; 2] };
        }
        let flow = Flow::from_planar_vox(grid, planar).map_err(|e| context.core(e))?;
        Ok(Self { content: Content::Flow(flow), sample_type: sample_type.to_owned() })
    }
}
