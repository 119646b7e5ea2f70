//! A surface fit for graphs: points in one place are one, flat and repeated faces are left out, and all faces of a component turn
//! the same way. What was done is counted; the mesh itself stays as it is.

use crate::error::MeshError;
use crate::neighbours::neighbours;
use crate::seams::join_seams;
use crate::vector::{bounds, cross, dot, has_area, length, mean, minus};
use std::collections::HashMap;
use veloxel_core::{CleaningReport, Control, Stopped, TriangleMesh, sort};

/// Faces between two questions whether to go on: some milliseconds.
const FACES_AT_ONCE: usize = 1 << 14;
/// Faces at an edge of which every one is beside every other. Where there are more, each is beside the next alone, so that the
/// pairs of a mesh are never more than a multiple of its faces.
const ALL_BESIDE: usize = 32;
/// Faces at an edge; where there are more, the mesh is no surface, and a ray would meet all of them.
const MOST_AT_EDGE: usize = 1024;

/// A mesh without flat and repeated faces.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanMesh {
    /// Corners, shared by faces that touch.
    pub points: Vec<[f64; 3]>,
    /// Faces that turn the same way in each component.
    pub triangles: Vec<[u32; 3]>,
    /// For each face the triangle of the mesh that it was.
    pub source: Vec<u32>,
    /// For each triangle of the mesh the face that represents it: itself, its twin, or one at the same point.
    pub face_of: Vec<u32>,
    /// What was found.
    pub report: CleaningReport,
}

/// Two faces at an edge, the first below the second, and whether both run along it in the same direction, which faces that agree
/// do not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedEdge {
    pub faces: [u32; 2],
    pub points: [u32; 2],
    pub is_against: bool,
}

/// The edges of a mesh.
pub(crate) struct Edges {
    /// The faces that are beside each other at an edge, pair by pair.
    pub pairs: Vec<SharedEdge>,
    /// Number of edges of one face.
    border: usize,
    /// Number of edges of more than two.
    crowded: usize,
    /// Faces of the edge that has the most of them.
    most_faces: usize,
}

impl CleanMesh {
    /// Cleans a mesh.
    ///
    /// # Errors
    /// [`MeshError::NoArea`] if no face has an area; [`MeshError::Crowded`] for an edge of more than a thousand faces; [`MeshError::TooFar`], [`MeshError::TooSmall`] for coordinates beyond those of
    /// 32-bit floats; [`MeshError::Stopped`].
    pub fn new(mesh: &TriangleMesh, control: &Control) -> Result<Self, MeshError> {
        let mut report = CleaningReport { triangles: mesh.triangles().len(), ..CleaningReport::default() };
        let size = size(mesh)?;
        let mut place = places(mesh.points(), control)?;
        report.seam_points = join_seams(mesh, &mut place, size, control)?;
        report.joined_points = place.iter().enumerate().filter(|(i, p)| *i as u32 != **p).count();
        let mut first_of: HashMap<[u32; 3], u32> = HashMap::with_capacity(report.triangles);
        let (mut triangles, mut source) = (Vec::new(), Vec::new());
        let mut face_of = vec![u32::MAX; report.triangles];
        let mut pace = control.once_in(FACES_AT_ONCE);
        for (nth, corners) in mesh.triangles().iter().enumerate() {
            pace.step()?;
            let corners = corners.map(|corner| place[corner as usize]);
            if !has_area(corners.map(|corner| mesh.points()[corner as usize])) {
                report.flat += 1;
                continue;
            }
            let mut sorted = corners;
            sorted.sort_unstable();
            let face = *first_of.entry(sorted).or_insert(triangles.len() as u32);
            if face as usize == triangles.len() {
                triangles.push(corners);
                source.push(nth as u32);
            } else {
                report.duplicates += 1;
            }
            face_of[nth] = face;
        }
        if triangles.is_empty() {
            return Err(MeshError::NoArea { triangles: report.triangles });
        }
        let points = mesh.points().to_vec();
        let mut clean = Self { points, triangles, source, face_of, report };
        clean.stand_in(mesh, &place);
        clean.orient(control)?;
        Ok(clean)
    }

    /// Gives every triangle without an area a face at one of its corners.
    fn stand_in(&mut self, mesh: &TriangleMesh, place: &[u32]) {
        let mut at_point = vec![u32::MAX; self.points.len()];
        for (face, corners) in self.triangles.iter().enumerate() {
            corners.iter().for_each(|&corner| at_point[corner as usize] = face as u32);
        }
        for (nth, corners) in mesh.triangles().iter().enumerate() {
            if self.face_of[nth] == u32::MAX {
                let beside = corners.iter().map(|&corner| at_point[place[corner as usize] as usize]);
                self.face_of[nth] = beside.min().filter(|&face| face != u32::MAX).unwrap_or(0);
            }
        }
    }

    /// The pairs of faces that are beside each other at an edge, and how many edges have one face, and more than two.
    pub(crate) fn edges(&self, control: &Control) -> Result<Edges, Stopped> {
        // Edge, face, and whether the face runs from the smaller point to the larger.
        let mut sides: Vec<([u32; 2], u32, bool)> = Vec::with_capacity(3 * self.triangles.len());
        for (face, &corners) in self.triangles.iter().enumerate() {
            sides.extend(edges(corners).map(|(edge, forward)| (edge, face as u32, forward)));
        }
        sort(&mut sides, control)?;
        let mut found = Edges { pairs: Vec::new(), border: 0, crowded: 0, most_faces: 0 };
        let mut pace = control.once_in(FACES_AT_ONCE);
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            pace.step()?;
            found.border += usize::from(group.len() == 1);
            found.crowded += usize::from(group.len() > 2);
            found.most_faces = found.most_faces.max(group.len());
            for (nth, &(points, first, forward)) in group.iter().enumerate() {
                let beside = if group.len() <= ALL_BESIDE { group.len() } else { 2 };
                for &(_, second, other_forward) in group[nth + 1..].iter().take(beside - 1) {
                    let is_against = forward == other_forward;
                    found.pairs.push(SharedEdge { faces: [first, second], points, is_against });
                }
            }
        }
        Ok(found)
    }

    /// Turns faces over until those of a component agree, and components until they look outwards, where
    /// that is sure.
    ///
    /// # Errors
    /// [`MeshError::Crowded`]; [`MeshError::Stopped`].
    fn orient(&mut self, control: &Control) -> Result<(), MeshError> {
        let Edges { pairs, border, crowded, most_faces } = self.edges(control)?;
        if most_faces > MOST_AT_EDGE {
            return Err(MeshError::Crowded { faces: most_faces, most: MOST_AT_EDGE });
        }
        let around = neighbours(self.triangles.len(), pairs.iter().map(|pair| (pair.faces, pair.is_against)));
        let mut pace = control.once_in(FACES_AT_ONCE);
        let mut turned: Vec<Option<bool>> = vec![None; self.triangles.len()];
        let (mut components, mut one_sided) = (0, 0);
        for start in 0..self.triangles.len() {
            if turned[start].is_some() {
                continue;
            }
            components += 1;
            turned[start] = Some(false);
            let mut members = vec![start];
            let mut next = 0;
            while let Some(&face) = members.get(next) {
                pace.step()?;
                next += 1;
                let own = turned[face] == Some(true);
                for &(other, is_against) in &around[face] {
                    let expected = own != is_against;
                    match turned[other as usize] {
                        None => {
                            turned[other as usize] = Some(expected);
                            members.push(other as usize);
                        }
                        Some(there) => one_sided += usize::from(there != expected),
                    }
                }
            }
            self.turn(&members, &mut turned, control)?;
        }
        let report = &mut self.report;
        (report.border_edges, report.crowded_edges, report.components) = (border, crowded, components);
        // Seen from both of its faces.
        report.one_sided_edges = one_sided / 2;
        Ok(())
    }

    /// Turns the faces of a component, as few as will do, or all of them where they surely look inwards.
    ///
    /// Holes are surely smaller than L²/4π, with L the length of their borders, and what lies between them and the middle is
    /// smaller than a third of that by the reach of the borders: a volume of several times that has its sign whatever fills them.
    fn turn(
        &mut self,
        members: &[usize],
        turned: &mut [Option<bool>],
        control: &Control,
    ) -> Result<(), Stopped> {
        const SURE: f64 = 4.0;
        let count = members.iter().filter(|&&face| turned[face] == Some(true)).count();
        let mut flip = 2 * count > members.len();
        let corners = members.iter().flat_map(|&face| self.triangles[face]);
        let middle = mean(corners.map(|corner| self.points[corner as usize]));
        let from_middle = |corner: u32| minus(self.points[corner as usize], middle);
        let mut six_volumes = 0.0;
        let mut passes: HashMap<[u32; 2], i32> = HashMap::new();
        let mut pace = control.once_in(FACES_AT_ONCE);
        for &face in members {
            pace.step()?;
            let mut corners = self.triangles[face];
            if (turned[face] == Some(true)) != flip {
                corners.swap(1, 2);
            }
            for (edge, forward) in edges(corners) {
                *passes.entry(edge).or_default() += if forward { 1 } else { -1 };
            }
            let [a, b, c] = corners.map(from_middle);
            six_volumes += dot(a, cross(b, c));
        }
        let (mut border, mut reach) = (0.0, 0.0f64);
        for (edge, _) in members.iter().flat_map(|&face| edges(self.triangles[face])) {
            pace.step()?;
            if passes[&edge] != 0 {
                let [a, b] = edge.map(from_middle);
                border += length(minus(b, a));
                reach = reach.max(length(a)).max(length(b));
            }
        }
        let is_inside_out = six_volumes < -SURE * border * border * reach / std::f64::consts::TAU;
        flip ^= is_inside_out;
        let mut faces = 0;
        for &face in members {
            if (turned[face] == Some(true)) != flip {
                self.triangles[face].swap(1, 2);
                faces += 1;
            }
        }
        if is_inside_out && 2 * faces > members.len() {
            self.report.turned_components += 1;
            faces = members.len() - faces;
        }
        self.report.turned_faces += faces;
        Ok(())
    }
}

/// The edges of a face, the lower point first, and whether the face runs along them from the lower point.
fn edges([a, b, c]: [u32; 3]) -> [([u32; 2], bool); 3] {
    [(a, b), (b, c), (c, a)].map(|(from, to)| ([from.min(to), from.max(to)], from < to))
}

/// For each point the first that lies in the same place.
fn places(points: &[[f64; 3]], control: &Control) -> Result<Vec<u32>, Stopped> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
    // -0 and 0 are one place.
    let key = |point: &[f64; 3]| point.map(|c| (c + 0.0).to_bits());
    let mut pace = control.once_in(FACES_AT_ONCE);
    let place = |(nth, point): (usize, &[f64; 3])| {
        pace.step()?;
        Ok(*first.entry(key(point)).or_insert(nth as u32))
    };
    points.iter().enumerate().map(place).collect()
}

/// The diagonal of the box around the corners of all faces.
fn size(mesh: &TriangleMesh) -> Result<f64, MeshError> {
    const MOST: f64 = 1e35;
    const LEAST: f64 = 1e-35;
    let corners = || mesh.triangles().iter().flatten().map(|&corner| corner as usize);
    for point in corners() {
        if let Some(&coordinate) = mesh.points()[point].iter().find(|c| c.abs() > MOST) {
            return Err(MeshError::TooFar { point, coordinate });
        }
    }
    let [low, high] = bounds(corners().map(|point| mesh.points()[point]));
    let sides = minus(high, low);
    let longest = sides.into_iter().fold(0.0, f64::max);
    // All points in one place have no area, which is told as such.
    let size = if longest > 0.0 { longest * length(sides.map(|side| side / longest)) } else { 1.0 };
    if size < LEAST { Err(MeshError::TooSmall { size }) } else { Ok(size) }
}
