//! A surface in memory; what there is to say of it before anything is computed on it.

use crate::{Result, Session};
use serde::Serialize;
use veloxel_core::{CleaningReport, Stage, TriangleMesh, Warnings};
use veloxel_mesh::CleanMesh;

/// What there is to say of a surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SurfaceFacts {
    /// Points of the file.
    pub points: usize,
    /// Faces of the file, polygons counted as one.
    pub faces: usize,
    /// Triangles that the faces are made of.
    pub triangles: usize,
    /// The least coordinates of the triangles' corners, in the file's own unit.
    pub low: [f64; 3],
    /// The greatest coordinates.
    pub high: [f64; 3],
    /// Whether every corner has a place in a texture.
    pub is_textured: bool,
    /// What a segmentation would find and mend first.
    pub cleaning: CleaningReport,
    /// What a segmentation would warn of.
    pub warnings: Warnings,
}

/// Counts and measures a surface, and looks at what is wrong with it.
///
/// # Errors
/// [`VeloxelError::Mesh`](crate::VeloxelError::Mesh) for a mesh without area; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn surface_facts(mesh: &TriangleMesh, session: &Session) -> Result<SurfaceFacts> {
    session.enter(Stage::Measure)?;
    let clean = CleanMesh::new(mesh, session.control())?;
    let ([low, high], mut warnings) = (mesh.bounds(), Warnings::new());
    clean.report.warn(&mut warnings);
    Ok(SurfaceFacts {
        points: mesh.points().len(),
        faces: mesh.file_face_count(),
        triangles: mesh.triangles().len(),
        low,
        high,
        is_textured: mesh.texture().is_some(),
        cleaning: clean.report,
        warnings,
    })
}
