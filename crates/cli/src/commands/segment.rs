//! `veloxel segment`: a mesh in parts.

use crate::{
    Fallible, MethodArguments, Outcome, RowArguments, Run, bytes, command_line, followed, presets, print,
    table, total_time, warn, written,
};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{PartsMethodOptions, RowJob, SegmentJob, SegmentOutputs, segment};
use veloxel::parameters::MethodEntry;
use veloxel::pipelines::segment::{CutEnds, PARTS_METHODS, PartCount};
use veloxel::report::number::{counted, percent};

/// Methods that find parts, as users name them.
fn methods() -> [&'static str; 2] {
    PARTS_METHODS.each_ref().map(|method| method.parameters().method)
}

/// Cut the surface of a mesh into parts.
///
/// MESH is .off, .obj, .ply, .stl, .glb or .gltf. Parts meet where the surface bends inwards, and where its thickness changes.
/// OUT.ply has the mesh with a colour, a certainty (quality) and the number of its part (segment) for each face; colours fade
/// to white where a face may as well belong to the part beside it.
#[derive(Debug, Args)]
#[command(mut_arg("preset", |preset| preset.value_parser(presets(&methods())).default_value("standard")))]
pub struct SegmentArguments {
    /// The mesh
    #[arg(value_name = "MESH")]
    mesh: PathBuf,

    /// How many parts; without it the number is found from the mesh
    #[arg(short = 'k', long = "parts", value_name = "K", allow_negative_numbers = true, value_parser = part_count)]
    count: Option<usize>,

    /// The mesh in the colours of its parts: .ply with certainty and part of each face, .glb with a node for each part, or .obj
    /// with a group for each
    #[arg(short, long, value_name = "OUT.ply")]
    output: PathBuf,

    /// The number of its part for each face, a line each, in the order of MESH: .seg or .txt
    #[arg(long, value_name = "OUT.seg")]
    labels: Option<PathBuf>,

    /// The probability of each part (columns) for each triangle (rows): .npy or .csv
    #[arg(long, value_name = "OUT.npy")]
    membership: Option<PathBuf>,

    /// The probability that people give each triangle to its part, by its certainty: .npy or .csv
    #[arg(long, value_name = "OUT.npy")]
    probability: Option<PathBuf>,

    /// The mesh in 3-D with a slider for the number of parts, in one file
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,

    /// A folder for each part as a mesh of its own
    #[arg(long, value_name = "FOLDER")]
    part_meshes: Option<PathBuf>,

    /// Close the holes that these meshes have where they were cut off, each by a fan of certainty 0
    #[arg(long, requires = "part_meshes")]
    caps: bool,

    /// Parts below this share of the area join a neighbour; 0.0005 without it (that of --set least_area)
    #[arg(long, value_name = "SHARE")]
    least_area: Option<String>,

    /// Everything measured, as JSON
    #[arg(long, value_name = "OUT.json")]
    report: Option<PathBuf>,

    /// How parts are found: by agglomeration, or around medoids with probabilities (Katz and Tal)
    #[arg(long, value_parser = methods(), default_value = "cuts", help_heading = "Method")]
    method: String,

    #[command(flatten)]
    run: MethodArguments,

    /// Memory that the run may take, such as 500M or 2GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Memory")]
    max_memory: Option<u64>,
}

fn part_count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number of 1 or more".to_owned())
}

impl SegmentArguments {
    fn job(self) -> Fallible<(SegmentJob, Shown)> {
        let mut method = self.run.method("segment", PartsMethodOptions::named(&self.method)?)?;
        if let Some(least) = &self.least_area {
            method = method.set_from("least_area", least, "--least-area")?;
        }
        let Self { mesh, output, labels, membership, probability, html, part_meshes: parts, report, .. } =
            self;
        let count = self.count.map_or(PartCount::Chosen, PartCount::Given);
        let (reading, command_line) = (self.run.reading()?, command_line());
        let ends = if self.caps { CutEnds::Capped } else { CutEnds::Open };
        let outputs =
            SegmentOutputs { painted: output, labels, membership, probability, html, parts, ends, report };
        let job = SegmentJob { mesh, count, method, reading, command_line, outputs };
        Ok((job, Shown { run: self.run, max_memory: self.max_memory }))
    }
}

/// How a run is done and shown.
struct Shown {
    run: MethodArguments,
    max_memory: Option<u64>,
}

impl RowArguments for SegmentArguments {
    fn row_job(self) -> Fallible<RowJob> {
        Ok(RowJob::Segment(Box::new(self.job()?.0)))
    }
}

impl Run for SegmentArguments {
    fn run(self) -> Outcome {
        let (job, Shown { run: own, max_memory }) = self.job()?;
        let session = own.session().with_max_memory(max_memory);
        let run = followed(&session, own.bar(), |session| segment(&job, session))?;
        let report = &run.report;
        warn(&report.header.warnings);
        if own.quiet {
            return Ok(());
        }
        let rows = report.segments.iter().map(|part| {
            let (number, triangles, area) = (part.part, part.triangles, percent(part.area_share));
            let (thickness, certainty) =
                (format!("{:.3}", part.thickness), format!("{:.2}", part.mean_certainty));
            vec![number.to_string(), triangles.to_string(), area, thickness, certainty]
        });
        let mut text = table(&["part", "triangles", "area", "thickness, √area", "certainty"], rows);
        let time = total_time(&report.header);
        let (parts, faces) = (counted(report.parts, "part"), counted(report.faces, "face"));
        text.push_str(&format!("{parts} ({}) of {faces} in {time}\n", report.count_from));
        text.extend(written(&run).map(|(role, path)| format!("{role}: {path}\n")));
        Ok(print(&text)?)
    }
}
