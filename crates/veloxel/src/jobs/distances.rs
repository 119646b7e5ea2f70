//! A graph's file in, a matrix of all its distances out.

use super::{JobRun, OutputContent, OutputPlan, OutputRole};
use crate::pipelines::distances::{DistanceRow, Distances, DistancesFound, DistancesRequest, arc_count};
use crate::{Result, Session, VeloxelError};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use veloxel_core::{GraphKind, Stage, StageTime, Warnings};
use veloxel_io::{NpyWriter, ReadOptions, Target, read_graph};
use veloxel_mesh::{DistanceMethod, DistancePrecision, Graph};
use veloxel_report::DeviceReport;

/// One graph.
#[derive(Debug, Clone, PartialEq)]
pub struct DistancesJob {
    /// Matrix Market or a list of edges.
    pub graph: PathBuf,
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
    /// Nodes.
    pub nodes: usize,
    /// Arcs; those of an undirected graph count once.
    pub arcs: usize,
    /// Whether arcs lead one way.
    pub directed: bool,
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
/// [`VeloxelError::Io`] for files; [`VeloxelError::MeshFile`] for a graph that is none; [`VeloxelError::Mesh`] for an algorithm
/// that does not take it, or memory; [`VeloxelError::Stopped`].
pub fn distances(job: &DistancesJob, session: &Session) -> Result<JobRun<DistancesReport>> {
    let plan = OutputPlan::of(session)
        .reads("graph", [&job.graph])
        .writes(OutputRole::Distances, [&job.output], OutputContent::Matrix)
        .writes(OutputRole::Report, &job.report, OutputContent::Text)
        .checked()?;
    planned(job, session, plan)
}

fn planned(job: &DistancesJob, session: &Session, mut plan: OutputPlan) -> Result<JobRun<DistancesReport>> {
    session.enter(Stage::Read)?;
    let begin = Instant::now();
    let list = read_graph(&job.graph, job.kind, session.reading(ReadOptions::default()))?;
    let read = StageTime { stage: "read".to_owned(), time_ms: begin.elapsed().as_secs_f64() * 1e3 };
    let graph = Graph::new(&list, session.control()).map_err(VeloxelError::of_mesh_file(&job.graph))?;
    drop(list);
    let request = DistancesRequest {
        graph: (&graph).into(),
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
    let report = DistancesReport {
        nodes: graph.nodes(),
        arcs: arc_count(&graph),
        directed: graph.kind() == GraphKind::Directed,
        rows: found.rows(),
        unreachable_pairs: rows.unreachable_pairs,
        longest: rows.longest,
        method: found.algorithm().name(),
        chosen_because: found.chosen_because().to_owned(),
        step: found.step().map(|step| step.length),
        most_error: found.step().map(|step| step.most_error),
        device: found.account.device,
        stages: std::iter::once(read).chain(found.account.stages.0).collect(),
        warnings: found.account.warnings,
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
