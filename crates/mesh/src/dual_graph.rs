//! The dual graph of a surface: a node for each face, an arc for each edge that two faces share.
//!
//! *Paper*: S. Katz, A. Tal, "Hierarchical Mesh Decomposition using Fuzzy Clustering and Cuts", ACM TOG 22(3), 2003,
//! doi:10.1145/882262.882369, section 3.

use crate::cleaning::CleanMesh;
use crate::error::MeshError;
use crate::graph::Graph;
use crate::vector::{cross, dot, length, mean, minus, plus, unit};
use veloxel_core::{ArcList, Control, GraphKind, Stopped, WeightedArc};

/// Arcs between two questions whether to go on: some milliseconds.
const ARCS_AT_ONCE: usize = 1 << 16;

/// Faces and their neighbours. Lengths are in units of the square root of the mesh's area.
#[derive(Debug, Clone, PartialEq)]
pub struct DualGraph {
    /// Share of each face in the mesh's area.
    pub areas: Vec<f64>,
    /// Where each face's middle lies, from the middle of the mesh.
    pub centres: Vec<[f64; 3]>,
    /// Normals of the faces, outwards, of length 1.
    pub normals: Vec<[f64; 3]>,
    /// Where the corners of each face lie, from the middle of the mesh.
    pub corners: Vec<[[f64; 3]; 3]>,
    /// The arcs, sorted by their edges.
    pub arcs: Vec<DualArc>,
}

/// Two faces that share an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualArc {
    /// The faces.
    pub faces: [u32; 2],
    /// Length of the edge.
    pub length: f64,
    /// Angle between the normals, 0 to π.
    pub angle_rad: f64,
    /// How the surface bends there.
    pub bend: EdgeBend,
    /// Distance between the middles of the faces, over the unfolded edge.
    pub distance: f64,
}

/// How a surface bends at an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeBend {
    /// It bends inwards: parts meet there (the minima rule).
    Concave,
    /// It bends outwards, or not at all.
    Convex,
}

impl DualGraph {
    /// The dual graph of a mesh.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn new(mesh: &CleanMesh, control: &Control) -> Result<Self, Stopped> {
        let total: f64 = (0..mesh.triangles.len()).map(|face| area_vector(mesh, face).1).sum();
        let scale = 1.0 / total.sqrt();
        let middle = mean(mesh.triangles.iter().flatten().map(|&corner| mesh.points[corner as usize]));
        let place = |corner: u32| minus(mesh.points[corner as usize], middle).map(|c| c * scale);
        let corners: Vec<[[f64; 3]; 3]> = mesh.triangles.iter().map(|face| face.map(place)).collect();
        let centres: Vec<[f64; 3]> =
            corners.iter().map(|&[a, b, c]| plus(plus(a, 1.0, b), 1.0, c).map(|s| s / 3.0)).collect();
        let (normals, areas): (Vec<_>, Vec<_>) = (0..corners.len())
            .map(|face| {
                let (normal, area) = area_vector(mesh, face);
                (normal, area / total)
            })
            .unzip();
        let arc = |edge: &crate::cleaning::SharedEdge| {
            let [a, b] = edge.faces.map(|face| face as usize);
            let [p, q] = edge.points.map(place);
            let along = unit(minus(q, p));
            // Along the edge, and away from it.
            let unfolded = |centre: [f64; 3]| {
                let from = minus(centre, p);
                let x = dot(from, along);
                [x, length(plus(from, -x, along))]
            };
            let ([xa, ya], [xb, yb]) = (unfolded(centres[a]), unfolded(centres[b]));
            let (na, nb) = (normals[a], normals[b]);
            let towards = minus(centres[b], centres[a]);
            DualArc {
                faces: edge.faces,
                length: length(minus(q, p)),
                angle_rad: length(cross(na, nb)).atan2(dot(na, nb)),
                bend: if dot(towards, minus(na, nb)) > 0.0 { EdgeBend::Concave } else { EdgeBend::Convex },
                distance: (xa - xb).hypot(ya + yb),
            }
        };
        let edges = mesh.edges(control)?.pairs;
        let mut pace = control.once_in(ARCS_AT_ONCE);
        let arcs = edges.iter().map(|edge| pace.step().map(|()| arc(edge))).collect::<Result<_, _>>()?;
        Ok(Self { areas, centres, normals, corners, arcs })
    }

    /// Number of faces.
    pub fn faces(&self) -> usize {
        self.areas.len()
    }

    /// The graph with these weights on the arcs.
    ///
    /// # Errors
    /// [`MeshError::Weight`] for a weight that is negative or not finite; [`MeshError::Count`] for another number of weights than
    /// arcs; [`MeshError::Stopped`].
    pub fn weighted(&self, weights: &[f32], control: &Control) -> Result<Graph, MeshError> {
        if weights.len() != self.arcs.len() {
            let what = "weights of the arcs";
            return Err(MeshError::Count { what, expected: self.arcs.len(), got: weights.len() });
        }
        let arc = |(arc, &weight): (&DualArc, &f32)| {
            let [from, to] = arc.faces;
            WeightedArc { from, to, weight }
        };
        let arcs = self.arcs.iter().zip(weights).map(arc).collect();
        Graph::new(&ArcList { nodes: self.faces(), kind: GraphKind::Undirected, arcs }, control)
    }

    /// A value of each face, `passes` times replaced by half of itself and half of its neighbours' mean.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn smoothed(
        &self,
        mut values: Vec<f64>,
        passes: usize,
        control: &Control,
    ) -> Result<Vec<f64>, Stopped> {
        let mut neighbours = vec![0.0f64; values.len()];
        for arc in &self.arcs {
            arc.faces.iter().for_each(|&face| neighbours[face as usize] += 1.0);
        }
        for _ in 0..passes {
            control.check()?;
            let mut sums = vec![0.0; values.len()];
            for arc in &self.arcs {
                let [a, b] = arc.faces.map(|face| face as usize);
                sums[a] += values[b];
                sums[b] += values[a];
            }
            for (face, value) in values.iter_mut().enumerate() {
                if neighbours[face] > 0.0 {
                    *value = 0.5 * *value + 0.5 * sums[face] / neighbours[face];
                }
            }
        }
        Ok(values)
    }
}

/// The unit normal of a face, and its area.
fn area_vector(mesh: &CleanMesh, face: usize) -> ([f64; 3], f64) {
    let [a, b, c] = mesh.triangles[face].map(|corner| mesh.points[corner as usize]);
    let product = cross(minus(b, a), minus(c, a));
    (unit(product), 0.5 * length(product))
}
