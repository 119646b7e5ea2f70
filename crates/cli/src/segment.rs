//! `veloxel segment`: a mesh in parts.

use crate::output::{print, table};
use crate::run_arguments::{DeviceArguments, ReadingArguments, command_line, setting};
use crate::{Outcome, Run, warn, wrong_usage};
use clap::Args;
use clap::error::ErrorKind;
use std::path::PathBuf;
use veloxel::jobs::{MethodOptions, SegmentJob, segment};
use veloxel::mesh::PartCount;
use veloxel::parameters::ParameterError;
use veloxel::report::number::{duration, percent};

/// Cut the surface of a mesh into parts.
///
/// MESH is .off, .obj, .ply, .stl or .glb. Parts meet where the surface bends inwards, and where its thickness changes. OUT.ply has
/// the mesh with a colour, a certainty (quality) and the number of its part (segment) for each face; colours fade to white
/// where a face may as well belong to the part beside it.
#[derive(Debug, Args)]
pub struct SegmentArguments {
    /// The mesh
    #[arg(value_name = "MESH")]
    mesh: PathBuf,

    /// How many parts; without it as many as pay
    #[arg(short = 'k', long = "parts", value_name = "K")]
    count: Option<usize>,

    /// The mesh in the colours of its parts: .ply with certainty and part of each face, or .glb
    #[arg(short, long, value_name = "OUT.ply")]
    output: PathBuf,

    /// The number of its part for each face, a line each, in the order of MESH
    #[arg(long, value_name = "OUT.seg")]
    labels: Option<PathBuf>,

    /// The probability of each part (columns) for each triangle (rows)
    #[arg(long, value_name = "OUT.npy")]
    membership: Option<PathBuf>,

    /// The mesh in 3-D with a slider for the number of parts, in one file
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,

    /// A folder for each part as a mesh of its own
    #[arg(long, value_name = "FOLDER")]
    part_meshes: Option<PathBuf>,

    /// Everything measured, as JSON
    #[arg(long, value_name = "OUT.json")]
    report: Option<PathBuf>,

    /// How parts are found: by agglomeration, or around medoids with probabilities (Katz and Tal)
    #[arg(long, value_parser = ["cuts", "fuzzy"], default_value = "cuts", help_heading = "Method")]
    method: String,

    /// Change one parameter; `veloxel parameters cuts` (or fuzzy) lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Method")]
    set: Vec<(String, String)>,

    /// Parameters from a TOML file, before --set
    #[arg(long, value_name = "FILE.toml", help_heading = "Method")]
    params: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArguments,

    #[command(flatten)]
    device: DeviceArguments,

    /// No summary
    #[arg(short, long)]
    quiet: bool,
}

impl Run for SegmentArguments {
    fn run(self) -> Outcome {
        let usage = |error: ParameterError| -> MethodOptions {
            wrong_usage("segment", ErrorKind::ArgumentConflict, &error.to_string())
        };
        let mut method = MethodOptions::of_parts(&self.method).unwrap_or_else(usage);
        if let Some(path) = &self.params {
            method = method.file(path)?;
        }
        for (name, value) in &self.set {
            method = method.set(name, value)?;
        }
        let job = SegmentJob {
            mesh: self.mesh,
            count: self.count.map_or(PartCount::Chosen, PartCount::Given),
            method,
            output: self.output,
            labels: self.labels,
            membership: self.membership,
            html: self.html,
            parts: self.part_meshes,
            report: self.report,
            device: self.device.options(),
            reading: self.reading.reading(),
            command_line: command_line(),
        };
        let run = segment(&job)?;
        let report = &run.report;
        warn(&report.header.warnings);
        if self.quiet {
            return Ok(());
        }
        let rows = report.segments.iter().map(|part| {
            let thickness = format!("{:.3}", part.thickness);
            let certainty = format!("{:.2}", part.mean_certainty);
            vec![
                part.part.to_string(),
                part.triangles.to_string(),
                percent(part.area_share),
                thickness,
                certainty,
            ]
        });
        let mut text = table(&["part", "triangles", "area", "thickness, √area", "certainty"], rows);
        let time = duration(report.header.stage_times.iter().map(|stage| stage.time_ms).sum());
        text.push_str(&format!(
            "{} parts ({}) of {} faces in {time}\n",
            report.parts, report.count_from, report.faces
        ));
        for (role, path) in &run.written {
            text.push_str(&format!("{role}: {}\n", path.display()));
        }
        Ok(print(&text)?)
    }
}
