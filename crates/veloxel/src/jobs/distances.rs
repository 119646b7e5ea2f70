//! A graph in, all its distances out.

use super::{DeviceOptions, Holds, JobRun, OutputPlan, Result, VeloxelError};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{GraphKind, StageTime, WarningKind, Warnings};
use veloxel_io::{NpyWriter, read_graph};
use veloxel_mesh::{Graph, Request, ShortestPaths};
use veloxel_report::DeviceReport;
use veloxel_report::number::counted;

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
/// [`VeloxelError::Io`] for files; [`VeloxelError::MeshFile`] for a graph that is none; [`VeloxelError::Mesh`] for a method that
/// does not take it, or memory.
pub fn distances(job: &DistancesJob) -> Result<JobRun<DistancesReport>> {
    let mut plan = OutputPlan::default()
        .reads("graph", [&job.graph])
        .writes("distances", [&job.output], Holds::Matrix)
        .writes("report", &job.report, Holds::Text)
        .checked()?;
    let (device, mut log) = job.device.start()?;
    let list = log.stages.time("read", || read_graph(&job.graph, job.kind))?;
    let graph = Graph::new(&list).map_err(VeloxelError::of_mesh_file(&job.graph))?;
    drop(list);
    warn_of_arcs(&graph, &mut log.warnings);
    let paths = log.stages.time("prepare", || ShortestPaths::open(&graph, job.request, &device))?;
    let sources = job.sources.clone().unwrap_or_else(|| (0..graph.nodes() as u32).collect());
    let mut found = Found::default();
    log.stages.time("distances", || -> Result<()> {
        plan.write("distances", |path| {
            let (rows, columns) = (sources.len(), graph.nodes());
            match paths.step() {
                None => {
                    let writer = NpyWriter::create(path, rows, columns)?;
                    found = visit_rows(&paths, &sources, &|place, row| writer.rows(place, row))?;
                    Ok::<_, VeloxelError>(writer.finish()?)
                }
                Some(step) => {
                    let writer = NpyWriter::create(path, rows, columns)?;
                    found = visit_rows(&paths, &sources, &|place, row| {
                        let steps: Vec<u16> = row.iter().map(|&distance| step.steps(distance)).collect();
                        writer.rows(place, &steps);
                    })?;
                    Ok(writer.finish()?)
                }
            }
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
        step: paths.step().map(|step| step.length),
        most_error: paths.step().map(|step| step.most_error),
        device: log.device,
        stages: log.stages.0,
        warnings: log.warnings,
    };
    plan.publish(report, |_| Ok(String::new()))
}

fn warn_of_arcs(graph: &Graph, warnings: &mut Warnings) {
    let left_out = graph.left_out();
    let mut note = |count: usize, what: &str| {
        if count > 0 {
            let were = if count == 1 { "was" } else { "were" };
            warnings.push(WarningKind::Content, format!("{} {were} left out: {what}", counted(count, "arc")));
        }
    };
    note(left_out.duplicates, "of several between the same nodes the shortest counts");
    note(left_out.loops, "an arc from a node to itself changes no distance");
}

/// What rows hold.
#[derive(Default)]
struct Found {
    unreachable: u64,
    longest: f32,
}

impl Found {
    fn of(row: &[f32]) -> Self {
        // As many at a time as a vector holds.
        const LANES: usize = 16;
        let (mut longest, mut far) = ([0.0f32; LANES], [0u32; LANES]);
        for distances in row.chunks(LANES) {
            for ((longest, far), &distance) in longest.iter_mut().zip(&mut far).zip(distances) {
                let finite = if distance == f32::INFINITY { 0.0 } else { distance };
                *far += u32::from(distance == f32::INFINITY);
                *longest = if finite > *longest { finite } else { *longest };
            }
        }
        let longest = longest.into_iter().fold(0.0, f32::max);
        Self { unreachable: far.into_iter().map(u64::from).sum(), longest }
    }
    fn add(&mut self, other: &Self) {
        self.unreachable += other.unreachable;
        self.longest = self.longest.max(other.longest);
    }
}

/// Gives every row to `write`, with its places in the file, from any thread.
fn visit_rows(
    paths: &ShortestPaths,
    sources: &[u32],
    write: &(dyn Fn(usize, &[f32]) + Sync),
) -> Result<Found> {
    let mut places: Vec<(u32, usize)> = sources.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let found = std::sync::Mutex::new(Found::default());
    paths.for_each_row_of(sources, |source, row| {
        let own = Found::of(row);
        let first = places.partition_point(|place| place.0 < source);
        for (_, place) in places[first..].iter().take_while(|place| place.0 == source) {
            write(*place, row);
            found.lock().expect("no thread should have failed").add(&own);
        }
    })?;
    Ok(found.into_inner().expect("no thread should have failed"))
}
