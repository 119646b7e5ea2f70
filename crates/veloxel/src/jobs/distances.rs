//! A graph in, all its distances out.

use super::output_plan::{Holds, OutputPlan};
use super::run_log::finish;
use super::{DeviceOptions, JobRun};
use crate::VeloxelError;
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{GraphKind, StageTime, WarningKind, Warnings};
use veloxel_io::{NpyWriter, read_graph};
use veloxel_mesh::{Graph, Request, ShortestPaths};
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
    /// The method, and the memory that it may have.
    pub request: Request,
    /// The matrix: a row for each source, `.npy`.
    pub output: PathBuf,
    /// The run as JSON.
    pub report: Option<PathBuf>,
    /// Where it runs.
    pub device: DeviceOptions,
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
    /// Wall-clock times.
    pub stages: Vec<StageTime>,
    /// What a user should know.
    pub warnings: Warnings,
}

/// `veloxel distances`: 32-bit floats, a row for each source, infinite where no path leads. The matrix is never whole in memory.
///
/// # Errors
/// [`VeloxelError::Io`] for files; [`VeloxelError::Mesh`] for a graph that is none, a method that does not take it, or memory.
pub fn distances(job: &DistancesJob) -> Result<JobRun<DistancesReport>, VeloxelError> {
    let mut plan = OutputPlan::default()
        .reads("graph", [&job.graph])
        .writes("distances", [&job.output], Holds::Matrix)
        .writes("report", &job.report, Holds::Text);
    plan.check()?;
    let (device, mut log) = job.device.start()?;
    let list = log.stages.time("read", || read_graph(&job.graph, job.kind))?;
    let graph = Graph::new(&list)?;
    drop(list);
    warn_of_arcs(&graph, &mut log.warnings);
    let paths = log.stages.time("prepare", || ShortestPaths::open(&graph, job.request, &device))?;
    let sources = match &job.sources {
        Some(sources) => sources.clone(),
        None => (0..graph.nodes() as u32).collect(),
    };
    let mut found = Found::default();
    log.stages.time("distances", || -> Result<(), VeloxelError> {
        plan.write("distances", |path| {
            let writer = NpyWriter::create(path, sources.len(), graph.nodes())?;
            found = write_rows(&paths, &sources, &writer)?;
            Ok::<_, VeloxelError>(writer.finish()?)
        })
    })?;
    let directed = graph.kind() == GraphKind::Directed;
    let report = DistancesReport {
        nodes: graph.nodes(),
        arcs: if directed { graph.arcs() } else { graph.arcs() / 2 },
        directed,
        rows: sources.len(),
        unreachable_pairs: found.unreachable,
        longest: found.longest,
        method: paths.method().name(),
        chosen_because: paths.chosen_because().to_owned(),
        device: log.device,
        stages: log.stages.0,
        warnings: log.warnings,
    };
    finish(plan, report, |_| Ok(String::new()))
}

fn warn_of_arcs(graph: &Graph, warnings: &mut Warnings) {
    let left_out = graph.left_out();
    let mut note = |count: usize, what: &str| {
        if count > 0 {
            warnings.push(WarningKind::Content, format!("{count} arcs were left out: {what}"));
        }
    };
    note(left_out.duplicates, "others between the same nodes are as short or shorter");
    note(left_out.loops, "they lead from a node to itself");
}

/// What rows hold.
#[derive(Default)]
struct Found {
    unreachable: u64,
    longest: f32,
}

impl Found {
    fn of(row: &[f32]) -> Self {
        let far = |d: &&f32| **d == f32::INFINITY;
        let longest = row.iter().fold(0.0f32, |m, &d| if d > m && d < f32::INFINITY { d } else { m });
        Self { unreachable: row.iter().filter(far).count() as u64, longest }
    }
    fn add(&mut self, other: &Self) {
        self.unreachable += other.unreachable;
        self.longest = self.longest.max(other.longest);
    }
}

/// Writes the row of every source where it belongs.
fn write_rows(paths: &ShortestPaths, sources: &[u32], writer: &NpyWriter) -> Result<Found, VeloxelError> {
    let mut places: Vec<(u32, usize)> = sources.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let found = std::sync::Mutex::new(Found::default());
    paths.for_each_row_of(sources, |source, row| {
        let own = Found::of(row);
        let first = places.partition_point(|place| place.0 < source);
        for (_, place) in places[first..].iter().take_while(|place| place.0 == source) {
            writer.rows(*place, row);
            found.lock().expect("no thread should have failed").add(&own);
        }
    })?;
    Ok(found.into_inner().expect("no thread should have failed"))
}
