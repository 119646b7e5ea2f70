//! `veloxel distances`: all shortest paths of a graph, or between the faces of a mesh.

use crate::{
    Bar, DeviceArguments, Outcome, Run, bytes, device_text, followed, presets, print_lines, setting, warn,
    words, written,
};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{DistancesJob, PartsMethodOptions, distances};
use veloxel::pipelines::distances::{DistanceMethod, DistancePrecision};
use veloxel::report::number::{counted, duration};
use veloxel::{GraphKind, VeloxelError};

/// Find the distances between all nodes of a graph, or between all faces of a mesh
///
/// GRAPH is a Matrix Market file (.mtx: coordinate, real, integer or pattern; general: arcs lead one way, symmetric: both), or a
/// list of edges (.txt, .csv, .tsv: `from to weight` a line, nodes counted from 0, arcs lead both ways). Weights are 0 or more.
/// A mesh (.off, .obj, .ply, .stl, .glb, .gltf) is a graph whose nodes are its triangles and whose arcs join neighbours, as long as
/// fuzzy clustering says: angles and lengths alone by the preset paper, which --set, --params and --preset change.
/// OUT.npy is a matrix of 32-bit floats: row i holds the distances from node i, infinite where no path leads. It is written
/// as it is found, and never whole in memory.
#[derive(Debug, Args)]
pub struct DistancesArguments {
    /// The graph, or the mesh
    #[arg(value_name = "GRAPH|MESH")]
    graph: PathBuf,

    /// The matrix, for numpy.load
    #[arg(short, long, value_name = "OUT.npy")]
    output: PathBuf,

    /// Rows of these nodes alone, counted from 0, such as 0,5,17
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    from: Option<Vec<u32>>,

    /// The edges of a list lead one way: from the first node to the second
    #[arg(long)]
    directed: bool,

    /// How: auto chooses by graph, memory and device; dijkstra searches from every node; floyd-warshall works on the whole
    /// matrix, floyd-warshall-undirected on half of it; dissection eliminates nodes over a tree of separators
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = words(DistanceMethod::ALL), help_heading = "Method")]
    apsp: DistanceMethod,

    /// Numbers of the file: f32; or u16, multiples of a step, which the summary names with the largest error (32767 where no path
    /// leads). With u16 Floyd-Warshall works on 16 bits, about twice as fast; other methods round at the end
    #[arg(long, value_name = "TYPE", default_value = "f32", value_parser = words([("f32", DistancePrecision::F32), ("u16", DistancePrecision::U16)]), help_heading = "Method")]
    precision: DistancePrecision,

    /// How long the way from face to face of a mesh is; without it paper
    #[arg(long, value_parser = presets(&["fuzzy"]), help_heading = "Mesh")]
    preset: Option<String>,

    /// Change one parameter of fuzzy that lengths on a mesh have, such as angle_share=0.8
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Mesh")]
    set: Vec<(String, String)>,

    /// Parameters of lengths on a mesh, from a TOML file; --set changes them further
    #[arg(long, value_name = "FILE.toml", help_heading = "Mesh")]
    params: Option<PathBuf>,

    /// Memory that the run may take, such as 500M or 2GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Memory")]
    max_memory: Option<u64>,

    /// The run as JSON
    #[arg(long, value_name = "OUT.json")]
    report: Option<PathBuf>,

    #[command(flatten)]
    device: DeviceArguments,

    /// No summary
    #[arg(short, long)]
    quiet: bool,
}

impl DistancesArguments {
    /// How long the ways between faces are, where that is said.
    fn lengths(&self) -> Result<Option<PartsMethodOptions>, VeloxelError> {
        if self.preset.is_none() && self.params.is_none() && self.set.is_empty() {
            return Ok(None);
        }
        let options =
            PartsMethodOptions::named("fuzzy")?.preset(self.preset.as_deref().unwrap_or("paper"))?;
        let options = self.params.iter().try_fold(options, |options, path| options.file(path))?;
        let set = |options: PartsMethodOptions, (name, value): &(String, String)| {
            options.set_from(name, value, "--set")
        };
        Ok(Some(self.set.iter().try_fold(options, set)?))
    }
}

impl Run for DistancesArguments {
    fn run(self) -> Outcome {
        let lengths = self.lengths()?;
        let Self { graph, from: sources, output, report, apsp: algorithm, precision, .. } = self;
        let kind = if self.directed { GraphKind::Directed } else { GraphKind::Undirected };
        let session = self.device.session().with_max_memory(self.max_memory);
        let bar = if self.quiet { Bar::Hidden } else { Bar::Shown };
        let job = DistancesJob { graph, lengths, kind, sources, algorithm, precision, output, report };
        let run = followed(&session, bar, |session| distances(&job, session))?;
        let report = &run.report;
        warn(&report.warnings);
        if self.quiet {
            return Ok(());
        }
        let kind = if report.directed { "directed" } else { "undirected" };
        let nodes = if report.parameters.is_empty() { "node" } else { "face" };
        let graph = format!("{kind}, {}, {}", counted(report.nodes, nodes), counted(report.arcs, "arc"));
        let apart = match report.unreachable_pairs {
            0 => format!("every {nodes} reaches every other"),
            pairs => format!("{pairs} pairs without a path: infinite"),
        };
        let method = format!("{} ({})", report.method, report.chosen_because);
        let times = report.stages.iter().map(|stage| format!("{} {}", stage.stage, duration(stage.time_ms)));
        let mut lines = vec![
            ("graph", graph),
            ("pairs", format!("{apart}, longest distance {}", report.longest)),
            ("method", method),
            ("device", device_text(&report.device)),
            ("time", times.collect::<Vec<_>>().join(", ")),
        ];
        lines.extend(report.step.zip(report.most_error).map(|(step, most_error)| {
            ("precision", format!("steps of {step}, within {most_error} of exact distances"))
        }));
        lines.extend(written(&run));
        print_lines(&lines)
    }
}
