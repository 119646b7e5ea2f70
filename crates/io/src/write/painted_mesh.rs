//! A surface with what was found for each of its triangles.

use veloxel_core::TriangleMesh;

/// A mesh, and a colour, a certainty and a segment for every triangle of it.
#[derive(Debug, Clone, Copy)]
pub struct PaintedMesh<'a> {
    /// The surface.
    pub mesh: &'a TriangleMesh,
    /// Red, green and blue of each triangle.
    pub rgb: &'a [[u8; 3]],
    /// 0 to 1.
    pub certainty: &'a [f32],
    /// Which segment each triangle belongs to.
    pub segment: &'a [u32],
}
