//! Unstructured meshes as files give them.

pub(crate) mod cleaning_report;

/// Tetrahedra over points, as a finite-element code writes them.
///
/// Every index in `tetrahedra` is below `points.len()`: readers check it.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    /// Nodes, in the file's own length unit.
    pub points: Vec<[f64; 3]>,
    /// Four node indices each.
    pub tetrahedra: Vec<[u32; 4]>,
}
