//! What others made: pictures whose motion is known, and meshes.

use crate::accuracy::middlebury::{folder, images, truth};
use crate::{BenchError, Session};
use veloxel_core::{Flow, Mask, TriangleMesh, Volume, Warnings};
use veloxel_io::{Reading, read_surface};
use veloxel_phantoms::Phantom;

/// Two pictures and the true motion between them.
#[derive(Debug)]
pub(super) struct Pictures {
    /// What they are called: a pair's name, or the size of a phantom.
    pub name: String,
    pub images: [Volume<f32>; 2],
    pub truth: Flow,
    /// Where errors count; none: wherever the truth is known.
    pub within: Option<Mask>,
}

impl Pictures {
    pub fn of_phantom(phantom: Phantom) -> Self {
        let [nx, ny, _] = phantom.grid().size();
        let Phantom { fixed, moving, truth, interior, .. } = phantom;
        Self { name: format!("{nx}×{ny}"), images: [fixed, moving], truth, within: Some(interior) }
    }

    pub fn size(&self) -> [usize; 2] {
        let [nx, ny, _] = self.images[0].grid().size();
        [nx, ny]
    }
}

/// A mesh and its name.
#[derive(Debug)]
pub(super) struct NamedMesh {
    pub name: String,
    pub mesh: TriangleMesh,
}

/// Middlebury's pairs of the sizes of the paper's pictures, of the same benchmark: in the place of *Army* and *Urban*, whose
/// true motion is not public.
pub(super) const PAIRS: [&str; 2] = ["RubberWhale", "Urban2"];

/// The pairs of the data folder.
pub(super) fn pictures(session: &Session<'_>) -> Result<Vec<Pictures>, BenchError> {
    let mut found = Vec::new();
    for name in PAIRS {
        let Some((folder, truth)) = folder(session, name).zip(truth(session, name)?) else { continue };
        found.push(Pictures { name: name.to_owned(), images: images(&folder)?, truth, within: None });
    }
    Ok(found)
}

/// The meshes of the data folder.
pub(super) fn meshes(session: &Session<'_>, files: &[&str]) -> Result<Vec<NamedMesh>, BenchError> {
    let mut found = Vec::new();
    for file in files {
        let Some(path) = session.data(&format!("mesh/{file}")) else { continue };
        let mesh = read_surface(&path, Reading::default(), &mut Warnings::new())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        found.push(NamedMesh { name, mesh });
    }
    Ok(found)
}
