//! A mesh's file; what there is to say of it.

use crate::pipelines::segment::{SurfaceFacts, surface_facts};
use crate::{Result, Session, VeloxelError};
use serde::Serialize;
use std::path::Path;
use veloxel_core::{Stage, Warnings};
use veloxel_io::{self as io, ContentKind, Format, ReadOptions};

/// A mesh's file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeshInfo {
    /// The format.
    pub format: &'static Format,
    /// What it holds: a surface.
    pub kind: ContentKind,
    /// The surface.
    #[serde(flatten)]
    pub facts: SurfaceFacts,
}

impl MeshInfo {
    /// Whether the name of a file is that of a mesh of triangles or polygons.
    pub fn is_of(path: &Path) -> bool {
        Format::from_path(path).is_some_and(|format| format.reads(ContentKind::Surface))
    }
}

/// `veloxel info` of a mesh: its size, its extent, and what is wrong with it.
///
/// # Errors
/// Anything that is wrong with the file; [`VeloxelError::MeshFile`] for a mesh without area; [`VeloxelError::Stopped`].
pub fn mesh_info(path: &Path, reading: ReadOptions, session: &Session) -> Result<MeshInfo> {
    session.enter(Stage::Read)?;
    let mut warnings = Warnings::new();
    let mesh = io::read_surface(path, session.reading(reading), &mut warnings)?;
    let format = Format::from_path(path).expect("the format of a file that was read should be known");
    let facts = surface_facts(&mesh, session).map_err(|error| match error {
        VeloxelError::Mesh(source) => VeloxelError::MeshFile { path: path.to_owned(), source },
        other => other,
    })?;
    warnings.extend(facts.warnings);
    Ok(MeshInfo { format, kind: ContentKind::Surface, facts: SurfaceFacts { warnings, ..facts } })
}
