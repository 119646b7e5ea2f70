//! A graph's file in, or a mesh's, a matrix of all its distances out.

use super::{Account, JobError, JobRun, OutputContent, OutputPlan, OutputRole, PartsMethodOptions};
use crate::pipelines::distances::{
    DistanceRow, Distances, DistancesFound, DistancesRequest, FaceGraph, GraphSource, arc_count,
};
use crate::{Result, Session, VeloxelError};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::parameters::ParameterValues;
use veloxel_core::{Dimension, GraphKind, Stage, StageTime, Warnings};
use veloxel_io::{ContentKind, Format, NpyWriter, ReadOptions, Target, read_graph, read_surface};
use veloxel_mesh::{DistanceMethod, DistancePrecision, FuzzyParams, FuzzyPreset, Graph, LENGTH_PARAMETERS};
use veloxel_report::DeviceReport;

/// One graph, or the faces of one mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct DistancesJob {
    /// Matrix Market, a list of edges, or a mesh, whose faces are the nodes.
    pub graph: PathBuf,
    /// How far the faces of a mesh are from their neighbours, as fuzzy clustering says it; none: its preset `paper`, or a graph.
    pub lengths: Option<PartsMethodOptions>,
    /// How the arcs of a list of edges lead.
    pub kind: GraphKind,
    /// Nodes whose rows are wanted, in their order; none: all.
    pub sources: Option<Vec<u32>>,
    /// The algorithm.
    pub algorithm: DistanceMethod,
    /// Numbers of the matrix.
    pub precision: DistancePrecision,
    /// The matrix: a row for each source, `.npy`.
    pub output: PathBuf,
    /// The run as JSON.
    pub report: Option<PathBuf>,
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistancesReport {
    /// Nodes; of a mesh, its triangles.
    pub nodes: usize,
    /// Arcs; those of an undirected graph count once.
    pub arcs: usize,
    /// Whether arcs lead one way.
    pub directed: bool,
    /// What the distances of a mesh were made by; empty for a graph.
    #[serde(skip_serializing_if = "ParameterValues::is_empty")]
    pub parameters: ParameterValues,
    /// Rows of the matrix.
    pub rows: usize,
    /// Pairs that no path joins, among those asked for.
    pub unreachable_pairs: u64,
    /// The longest distance that is finite.
    pub longest: f32,
    /// The method that ran.
    pub method: &'static str,
    /// Why.
    pub chosen_because: String,
    /// What computed.
    pub device: DeviceReport,
    /// What the file's numbers of 16 bits count; none: they are floats.
    pub step: Option<f32>,
    /// How far distances of 16 bits may be from exact ones.
    pub most_error: Option<f32>,
    /// Wall-clock times.
    pub stages: Vec<StageTime>,
    /// What a user should know.
    pub warnings: Warnings,
}

/// `veloxel distances`: a row for each source: 32-bit floats, infinite where no path leads, or steps in 16 bits, 32767 there. The
/// matrix is never whole in memory, but where Floyd–Warshall needs it.
///
/// # Errors
/// [`VeloxelError::Io`] for files; [`VeloxelError::MeshFile`] for a graph or a mesh that is none; [`VeloxelError::Job`] for
/// parameters that do not belong to the file; [`VeloxelError::Mesh`] for an algorithm that does not take it, or memory;
/// [`VeloxelError::Stopped`].
pub fn distances(job: &DistancesJob, session: &Session) -> Result<JobRun<DistancesReport>> {
    let plan = OutputPlan::of(session)
        .reads("graph", [&job.graph])
        .reads_settings(job.lengths.iter().flat_map(PartsMethodOptions::files))
        .writes(OutputRole::Distances, [&job.output], OutputContent::Matrix)
        .writes(OutputRole::Report, &job.report, OutputContent::Text)
        .checked()?;
    job.check()?;
    planned(job, session, plan)
}

impl DistancesJob {
    /// Whether the file is a mesh, by its name.
    fn is_mesh(&self) -> bool {
        Format::from_path(&self.graph).is_some_and(|format| format.reads(ContentKind::Surface))
    }

    /// Refuses what the file does not use.
    fn check(&self) -> Result<()> {
        let path = || self.graph.clone();
        if !self.is_mesh() {
            return self
                .lengths
                .as_ref()
                .map_or(Ok(()), |_| Err(JobError::LengthsOfGraph { path: path() }.into()));
        }
        if self.kind == GraphKind::Directed {
            return Err(JobError::DirectedMesh { path: path() }.into());
        }
        let mut settings = self.lengths.iter().flat_map(|lengths| lengths.draft().settings());
        match settings.find(|name| !LENGTH_PARAMETERS.contains(name)) {
            Some(name) => Err(JobError::NoLength { name: name.to_owned() }.into()),
            None => Ok(()),
        }
    }

    /// Reads the graph, or the mesh and makes the graph of its faces.
    fn read(&self, session: &Session, account: &mut Account) -> Result<NamedNodes> {
        let max_decode_bytes = session.max_memory_bytes();
        let reading = session.reading(ReadOptions { max_decode_bytes, ..ReadOptions::default() });
        let of_file = |error| match error {
            VeloxelError::Mesh(source) => VeloxelError::of_mesh_file(&self.graph)(source),
            other => other,
        };
        if !self.is_mesh() {
            let warnings = &mut account.warnings;
            let list =
                account.stages.time("read", || read_graph(&self.graph, self.kind, reading, warnings))?;
            let graph = Graph::within(&list, session.max_memory_bytes(), session.control());
            return graph.map(NamedNodes::Graph).map_err(VeloxelError::of_mesh_file(&self.graph));
        }
        let warnings = &mut account.warnings;
        let mesh = account.stages.time("read", || read_surface(&self.graph, reading, warnings))?;
        let params = match &self.lengths {
            Some(lengths) => lengths.build(Dimension::Three)?,
            None => FuzzyParams::preset(FuzzyPreset::Paper, Dimension::Three),
        };
        let mut faces = FaceGraph::new(&mesh, &params, session).map_err(of_file)?;
        account.stages.merge(std::mem::take(&mut faces.stages));
        Ok(NamedNodes::Faces(faces))
    }
}

/// What the distances are between.
enum NamedNodes {
    Graph(Graph),
    Faces(FaceGraph),
}

impl NamedNodes {
    fn graph(&self) -> &Graph {
        match self {
            Self::Graph(graph) => graph,
            Self::Faces(faces) => faces.graph(),
        }
    }
    fn source(&self) -> GraphSource<'_> {
        match self {
            Self::Graph(graph) => graph.into(),
            Self::Faces(faces) => faces.into(),
        }
    }
}

fn planned(job: &DistancesJob, session: &Session, mut plan: OutputPlan) -> Result<JobRun<DistancesReport>> {
    session.enter(Stage::Read)?;
    let mut account = Account::default();
    let nodes = job.read(session, &mut account)?;
    let request = DistancesRequest {
        graph: nodes.source(),
        sources: job.sources.as_deref(),
        algorithm: job.algorithm,
        precision: job.precision,
    };
    let mut found = Distances::open(&request, session)?;
    let mut rows = DistancesFound::default();
    plan.write(OutputRole::Distances, |target| {
        rows = write(&mut found, target)?;
        Ok::<_, VeloxelError>(())
    })?;
    account.absorb(std::mem::take(&mut found.account));
    let report = DistancesReport {
        nodes: found.columns(),
        arcs: arc_count(nodes.graph()),
        directed: nodes.graph().kind() == GraphKind::Directed,
        parameters: account.parameters,
        rows: found.rows(),
        unreachable_pairs: rows.unreachable_pairs,
        longest: rows.longest,
        method: found.algorithm().name(),
        chosen_because: found.chosen_because().to_owned(),
        step: found.step().map(|step| step.length),
        most_error: found.step().map(|step| step.most_error),
        device: account.device,
        stages: account.stages.0,
        warnings: account.warnings,
    };
    session.enter(Stage::Write)?;
    plan.publish(report, |_| Ok(String::new()))
}

/// Writes the matrix as it is found.
fn write(found: &mut Distances<'_>, target: Target) -> Result<DistancesFound> {
    let (rows, columns) = (found.rows(), found.columns());
    match found.step() {
        None => {
            let writer = NpyWriter::<f32>::create(target, rows, columns)?;
            let rows = found.for_each_row(&|place, row| {
                if let DistanceRow::Floats(row) = row {
                    writer.rows(place, row);
                }
            })?;
            writer.finish()?;
            Ok(rows)
        }
        Some(_) => {
            let writer = NpyWriter::<u16>::create(target, rows, columns)?;
            let rows = found.for_each_row(&|place, row| {
                if let DistanceRow::Steps(row) = row {
                    writer.rows(place, row);
                }
            })?;
            writer.finish()?;
            Ok(rows)
        }
    }
}
