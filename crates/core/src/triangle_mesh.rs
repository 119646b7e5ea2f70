//! Surfaces of triangles, as files give them.

use crate::error::CoreError;
use crate::polygon_cut::{self, MOST_CORNERS};

/// Triangles over points, and which face of its file each triangle is a part of.
///
/// Every coordinate is finite, every corner is a point, and there is at least one triangle. Triangles may be flat, appear
/// twice, or meet three at an edge.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    /// For each triangle the face of the file that it is a part of; none where every face is a triangle.
    file_faces: Option<Vec<u32>>,
    /// For each triangle the places of its corners in a texture; none without one.
    texture: Option<Vec<[[f32; 2]; 3]>>,
}

impl TriangleMesh {
    /// A mesh whose faces are triangles, in the file's own length unit.
    ///
    /// # Errors
    /// [`CoreError::NoFaces`], [`CoreError::Corner`] for a corner without a point, [`CoreError::Point`] for a coordinate that is
    /// not finite.
    pub fn new(points: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, CoreError> {
        Self { points, triangles, file_faces: None, texture: None }.checked()
    }

    /// A mesh of polygons, each cut into a fan of triangles around its first corner, or, where a corner turns inwards, ear by ear;
    /// `corners` holds one polygon after the other, and `corner_counts` the number of corners of each.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`CoreError::Polygon`] for one with fewer than three corners, [`CoreError::LargePolygon`] for one with
    /// too many of which some turn inwards.
    ///
    /// # Panics
    /// If the counts do not add up to the corners.
    pub fn of_polygons(
        points: Vec<[f64; 3]>,
        corners: &[u32],
        corner_counts: &[u32],
    ) -> Result<Self, CoreError> {
        Self::of_textured_polygons(points, corners, corner_counts, &[])
    }

    /// Does as [`Self::of_polygons`], with the place of every corner in a texture ([`with_texture`](Self::with_texture)); without one
    /// if `places` are not as many as corners.
    ///
    /// # Errors
    /// As [`Self::of_polygons`].
    ///
    /// # Panics
    /// If the counts do not add up to the corners.
    pub fn of_textured_polygons(
        points: Vec<[f64; 3]>,
        corners: &[u32],
        corner_counts: &[u32],
        places: &[[f32; 2]],
    ) -> Result<Self, CoreError> {
        // Every polygon makes two triangles fewer than it has corners.
        let count = corners.len().saturating_sub(2 * corner_counts.len());
        let (mut triangles, mut file_faces) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let has_texture = !places.is_empty() && places.len() == corners.len();
        let mut texture = Vec::with_capacity(if has_texture { count } else { 0 });
        let mut begin = 0;
        for (face, &count) in corner_counts.iter().enumerate() {
            let own = begin..begin + count as usize;
            let polygon = &corners[own.clone()];
            begin = own.end;
            if polygon.len() < 3 {
                return Err(CoreError::Polygon { face, corners: polygon.len() });
            }
            for triangle in cut(&points, polygon, face)? {
                triangles.push(triangle.map(|nth| polygon[nth]));
                file_faces.push(face as u32);
                if has_texture {
                    texture.push(triangle.map(|nth| places[own.start + nth]));
                }
            }
        }
        assert!(begin == corners.len(), "corner counts should add up to the corners");
        let file_faces = (triangles.len() != corner_counts.len()).then_some(file_faces);
        Self { points, triangles, file_faces, texture: has_texture.then_some(texture) }.checked()
    }

    /// The same mesh with the places of every triangle's corners in a texture: shares of its width and height, from the lower left
    /// corner.
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] unless there are as many as triangles.
    pub fn with_texture(mut self, texture: Vec<[[f32; 2]; 3]>) -> Result<Self, CoreError> {
        let (expected, got) = (self.triangles.len(), texture.len());
        if expected != got {
            return Err(CoreError::SampleCount { expected, got, size: format!("{expected} triangles") });
        }
        self.texture = Some(texture);
        Ok(self)
    }

    /// Checks corners and points. Points of no face that lie nowhere are put to a point of the first face.
    fn checked(mut self) -> Result<Self, CoreError> {
        if self.triangles.is_empty() {
            return Err(CoreError::NoFaces);
        }
        let points = self.points.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&corner) = corners.iter().find(|&&corner| corner as usize >= points) {
                return Err(CoreError::Corner { face: self.file_face(triangle), corner, points });
            }
        }
        let is_bad = |point: &[f64; 3]| !point.iter().all(|c| c.is_finite());
        if !self.points.iter().any(is_bad) {
            return Ok(self);
        }
        let bad = |&corner: &u32| is_bad(&self.points[corner as usize]).then_some(corner as usize);
        if let Some(point) = self.triangles.iter().flatten().filter_map(bad).min() {
            return Err(CoreError::Point { point, coordinates: self.points[point] });
        }
        let stand_in = self.points[self.triangles[0][0] as usize];
        self.points.iter_mut().filter(|point| is_bad(point)).for_each(|point| *point = stand_in);
        Ok(self)
    }

    /// Corners, in the file's own length unit.
    pub fn points(&self) -> &[[f64; 3]] {
        &self.points
    }

    /// The triangles as three indices of points each, anticlockwise seen from outside where the file keeps to that.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Which face of the file a triangle is a part of.
    pub fn file_face(&self, triangle: usize) -> usize {
        self.file_faces.as_ref().map_or(triangle, |faces| faces[triangle] as usize)
    }

    /// For each triangle the face of the file that it is a part of; none where every face is a triangle.
    pub fn file_faces(&self) -> Option<&[u32]> {
        self.file_faces.as_deref()
    }

    /// The number of triangles of each face of the file; none where every face is a triangle.
    pub fn file_face_sizes(&self) -> Option<Vec<u32>> {
        let faces = self.file_faces.as_ref()?;
        let mut sizes = vec![0; self.file_face_count()];
        faces.iter().for_each(|&face| sizes[face as usize] += 1);
        Some(sizes)
    }

    /// For each triangle the places of its corners in a texture ([`with_texture`](Self::with_texture)); none without one.
    pub fn texture(&self) -> Option<&[[[f32; 2]; 3]]> {
        self.texture.as_deref()
    }

    /// Faces of the file: fewer than triangles where some have more than three corners.
    pub fn file_face_count(&self) -> usize {
        // Every face has a triangle, and the last triangle is of the last face.
        self.file_face(self.triangles.len() - 1) + 1
    }

    /// The least and the greatest coordinates of the triangles' corners.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in self.triangles.iter().flatten() {
            let point = self.points[*corner as usize];
            for axis in 0..3 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        [low, high]
    }

    /// The corners of a triangle in space.
    pub fn corners(&self, triangle: usize) -> [[f64; 3]; 3] {
        self.triangles[triangle].map(|corner| self.points[corner as usize])
    }
}

/// The triangles of a polygon, as places in its list of corners.
fn cut(points: &[[f64; 3]], polygon: &[u32], face: usize) -> Result<Vec<[usize; 3]>, CoreError> {
    if polygon.len() == 3 {
        return Ok(vec![[0, 1, 2]]);
    }
    let corners: Option<Vec<[f64; 3]>> =
        polygon.iter().map(|&corner| points.get(corner as usize).copied()).collect();
    // A corner without a point is refused when all faces are there.
    let corners = corners.unwrap_or_else(|| vec![[0.0; 3]; polygon.len()]);
    let too_large = || CoreError::LargePolygon { face, corners: polygon.len(), most: MOST_CORNERS };
    polygon_cut::triangles(&corners).ok_or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_no_face_may_lie_nowhere() {
        let mut points = SQUARE.to_vec();
        points.push([f64::NAN, 0.0, 0.0]);
        let mesh = TriangleMesh::new(points, vec![[0, 1, 2]]).unwrap();
        assert_eq!(mesh.points()[4], SQUARE[0]);
        assert_eq!(mesh.bounds(), [[0.0; 3], [1.0, 1.0, 0.0]]);
    }

    #[test]
    fn a_texture_is_cut_as_its_polygons_are() {
        let points: Vec<[f64; 3]> =
            [[1.0, 3.0], [0.0, 0.0], [4.0, 3.0], [0.0, 6.0]].map(|[x, y]| [x, y, 0.0]).to_vec();
        let places: Vec<[f32; 2]> = points.iter().map(|p| [p[0] as f32, p[1] as f32]).collect();
        for begin in 0..4 {
            let corners: Vec<u32> = (0..4).map(|nth| (begin + nth) % 4).collect();
            let own: Vec<[f32; 2]> = corners.iter().map(|&corner| places[corner as usize]).collect();
            let mesh = TriangleMesh::of_textured_polygons(points.clone(), &corners, &[4], &own).unwrap();
            assert!(
                mesh.triangles().iter().all(|triangle| triangle.contains(&0)),
                "every triangle meets the corner inside"
            );
            for (triangle, texture) in mesh.triangles().iter().zip(mesh.texture().unwrap()) {
                assert_eq!(triangle.map(|corner| places[corner as usize]), *texture);
            }
        }
    }

    const SQUARE: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn polygons_become_fans_that_know_their_face() {
        let mesh = TriangleMesh::of_polygons(SQUARE.to_vec(), &[0, 1, 2, 0, 1, 2, 3], &[3, 4]).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 1, 2], [0, 2, 3]]);
        assert_eq!([0, 1, 2].map(|triangle| mesh.file_face(triangle)), [0, 1, 1]);
        assert_eq!(mesh.file_face_count(), 2);
    }

    #[test]
    fn what_is_no_mesh_is_told() {
        let text = |mesh: Result<TriangleMesh, CoreError>| mesh.unwrap_err().to_string();
        assert!(text(TriangleMesh::new(SQUARE.to_vec(), vec![])).contains("no faces"));
        assert!(text(TriangleMesh::new(SQUARE.to_vec(), vec![[0, 1, 4]])).contains("point 4"));
        let mut points = SQUARE.to_vec();
        points[2][1] = f64::NAN;
        assert!(text(TriangleMesh::new(points, vec![[0, 1, 2]])).contains("point 2"));
        assert!(text(TriangleMesh::of_polygons(SQUARE.to_vec(), &[0, 1], &[2])).contains("2 corners"));
    }
}
