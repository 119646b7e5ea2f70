//! The faces of a mesh as a graph: neighbours are joined by arcs, as long as the surface between them bends and is far.

use crate::pipelines::account::Stages;
use crate::pipelines::segment::cpu_of;
use crate::pipelines::segment::memory::check_room;
use crate::{Result, Session};
use veloxel_core::parameters::{ParameterValues, Parameters};
use veloxel_core::{CleaningReport, Stage, TriangleMesh};
use veloxel_mesh::{CleanMesh, DualGraph, FuzzyParams, Graph, arc_lengths};

/// The graph of a mesh's faces, whose distances are those that fuzzy clustering works with
/// ([`veloxel_mesh::fuzzy`]). Rows and columns of its distances are the mesh's triangles, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceGraph {
    graph: Graph,
    /// The node of each triangle; none where each is its own.
    node_of: Option<Vec<u32>>,
    triangles: usize,
    /// What was found and mended before.
    pub cleaning: CleaningReport,
    /// Rays that passed so many faces that they were given up.
    pub rays_given_up: usize,
    /// Names and values of the parameters in force.
    pub parameters: ParameterValues,
    /// The times of making it.
    pub stages: Stages,
}

impl FaceGraph {
    /// Makes the graph; `params` say how much angles, lengths, thickness, votes and lines of sight count.
    ///
    /// ```
    /// use veloxel::pipelines::distances::{DistanceValues, DistancesRequest, FaceGraph, distances};
    /// use veloxel::pipelines::segment::{FuzzyParams, FuzzyPreset};
    /// use veloxel::{Device, Dimension, Session, TriangleMesh};
    ///
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].to_vec();
    /// let mesh = TriangleMesh::new(points, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].to_vec())?;
    /// let session = Session::on(Device::cpu(1)?);
    /// let params = FuzzyParams::preset(FuzzyPreset::Paper, Dimension::Three);
    /// let faces = FaceGraph::new(&mesh, &params, &session)?;
    /// let found = distances(&DistancesRequest::new(&faces), &session)?;
    /// assert_eq!((found.rows, found.columns, found.found.unreachable_pairs), (4, 4, 0));
    /// # Ok::<(), veloxel::VeloxelError>(())
    /// ```
    ///
    /// # Errors
    /// [`VeloxelError::Mesh`](crate::VeloxelError::Mesh) for a mesh without area, or one that takes more memory than the session allows;
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn new(mesh: &TriangleMesh, params: &FuzzyParams, session: &Session) -> Result<Self> {
        session.enter(Stage::Solve)?;
        check_room(mesh, session)?;
        let (mut stages, control) = (Stages::default(), session.control());
        let clean = stages.time("clean", || CleanMesh::new(mesh, control))?;
        let cpu = cpu_of(session.device()?, session)?;
        let (graph, rays_given_up) = stages.time("graph", || -> Result<_> {
            let dual = DualGraph::new(&clean, control)?;
            let lengths = arc_lengths(&dual, params, &cpu)?;
            Ok((dual.weighted(&lengths.ways, control)?, lengths.rays_given_up))
        })?;
        let triangles = clean.face_of.len();
        let is_own = triangles == graph.nodes() && (0..).zip(&clean.face_of).all(|(own, &face)| own == face);
        let node_of = (!is_own).then_some(clean.face_of);
        let (cleaning, parameters) = (clean.report, params.to_json());
        Ok(Self { graph, node_of, triangles, cleaning, rays_given_up, parameters, stages })
    }

    /// The graph; its nodes are the faces of the mesh after cleaning.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The node of each triangle of the mesh; none where each is its own.
    pub fn node_of(&self) -> Option<&[u32]> {
        self.node_of.as_deref()
    }

    /// How many triangles the mesh has.
    pub fn triangles(&self) -> usize {
        self.triangles
    }
}
