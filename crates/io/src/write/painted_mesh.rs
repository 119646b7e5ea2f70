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

impl PaintedMesh<'_> {
    /// The triangles of each part, in the order of the parts' numbers; a number that no triangle has is an empty part.
    pub(crate) fn parts(&self) -> Vec<Vec<usize>> {
        let count = self.segment.iter().max().map_or(0, |&most| most as usize + 1);
        let mut parts = vec![Vec::new(); count];
        self.segment.iter().enumerate().for_each(|(triangle, &part)| parts[part as usize].push(triangle));
        parts
    }
}

/// The name of one of so many parts, all of one length: `part_00`.
pub(crate) fn part_name(part: usize, count: usize) -> String {
    let digits = count.saturating_sub(1).to_string().len().max(2);
    format!("part_{part:0digits$}")
}
