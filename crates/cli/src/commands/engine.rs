//! `veloxel engine`: a stream of frames to flow, disparity and features.

use crate::{
    Ending, MethodArguments, Outcome, Run, device_text, followed_until, presets, print_lines, say, warn,
    written, wrong_usage,
};
use clap::Args;
use clap::error::ErrorKind;
use std::path::{Path, PathBuf};
use veloxel::PhaseWanted;
use veloxel::jobs::{EngineJob, EngineRun, engine};
use veloxel::pipelines::engine::ConfidenceChoice;
use veloxel::report::number::{percent, text};

/// Run flow, stereo and features over a stream of frames, in one pass.
///
/// SOURCE is a folder of pictures, a pattern such as 'frames/*.png', an animated GIF, a Y4M file, or - for Y4M on standard
/// input (ffmpeg -i film.mp4 -f yuv4mpegpipe - | veloxel engine -).
/// Ctrl-C ends a stream on standard input there: what was found until then is written, and a second Ctrl-C stops at once.
/// Flow belongs to the centre of five frames (or three, or the first of two), so results come two frames (one) late, and the
/// frames at both ends have none; stereo and features have every frame.
#[derive(Debug, Args)]
#[command(after_long_help = crate::commands::parameters::long_help("phase"))]
#[command(mut_arg("preset", |preset| preset.value_parser(presets(&["phase"]))))]
pub struct EngineArguments {
    /// Frames; with --right the left ones
    #[arg(value_name = "SOURCE")]
    source: PathBuf,

    /// Right frames: with them, disparities as well
    #[arg(long, value_name = "SOURCE")]
    right: Option<PathBuf>,

    /// These outputs only
    #[arg(long, value_parser = ["flow", "stereo", "features"], value_name = "OUTPUT", value_delimiter = ',')]
    only: Vec<String>,

    /// Frames that a flow field is estimated from
    #[arg(long, value_name = "2|3|5", value_parser = frames)]
    frames: Option<&'static str>,

    /// A folder for the fields of every frame: flow_000002.flo, disparity_000002.pfm, energy, orientation and phase
    #[arg(short, long, value_name = "DIR", value_parser = folder, help_heading = "Outputs")]
    output: Option<PathBuf>,

    /// The confidences of flow and disparity as well, in the folder of -o: flow_confidence_000002.pfm
    #[arg(long, requires = "output", help_heading = "Outputs")]
    confidence: bool,

    /// The frames with all outputs in colours: .y4m, .gif, - for Y4M on standard output, or a folder for .png
    #[arg(long, value_name = "VIDEO", help_heading = "Outputs")]
    video: Option<PathBuf>,

    /// A page with the rate, curves over all frames, and pictures of the frame that moves most, in one file
    #[arg(long, value_name = "OUT.html", help_heading = "Outputs")]
    html: Option<PathBuf>,

    /// Frames per second, latencies, device, parameters and warnings as JSON
    #[arg(long, value_name = "OUT.json", help_heading = "Outputs")]
    report: Option<PathBuf>,

    #[command(flatten)]
    method: MethodArguments,
}

impl Run for EngineArguments {
    fn run(self) -> Outcome {
        let names = |output| self.only.iter().any(|named| named == output);
        if self.right.is_none() && names("stereo") {
            let message = "--only stereo needs the right frames: give them with --right";
            wrong_usage("engine", ErrorKind::MissingRequiredArgument, message)
        }
        let asked = |output| self.only.is_empty() || names(output);
        let (flow, stereo, features) = (asked("flow"), asked("stereo"), asked("features"));
        let wanted = PhaseWanted { flow, stereo, features };
        let endless = std::iter::once(&self.source).chain(&self.right).any(|s| s == Path::new("-"));
        // Of anything else there is a whole, and a part of it would pass for that.
        let ending = if endless { Ending::WritesFound } else { Ending::Discards };
        let mut options = self.method.phase_options("engine")?;
        if let Some(frames) = self.frames {
            options.method = options.method.set("frames", frames)?;
        }
        let confidences = if self.confidence { ConfidenceChoice::Taken } else { ConfidenceChoice::Left };
        let Self { source, right, output: folder, video, report, html, method, .. } = self;
        let is_piped = video.as_deref() == Some(Path::new("-"));
        let job = EngineJob { source, right, wanted, options, folder, confidences, video, report, html };
        let run = followed_until(&method.session(), method.bar(), ending, |session| engine(&job, session))?;
        warn(&run.report.header.warnings);
        match summary(&run) {
            _ if method.quiet => {}
            // Standard output belongs to the video then.
            lines if is_piped => lines.iter().for_each(|(name, value)| say(&format!("{name:<14}{value}"))),
            lines => print_lines(&lines)?,
        }
        Ok(())
    }
}

fn summary(run: &EngineRun) -> Vec<(&str, String)> {
    let report = &run.report;
    let [nx, ny] = report.size;
    let mut lines = vec![
        ("frames", format!("{} of {nx} × {ny}, {}", report.frames, report.outputs.join(" + "))),
        ("rate", format!("{} frames per second, in {} s", text(report.frames_per_s), text(report.wall_s))),
    ];
    if let Some(latency) = &report.latency {
        let [p50, p90, p99] = [latency.p50_ms, latency.p90_ms, latency.p99_ms].map(text);
        lines.push(("latency", format!("p50 {p50} ms, p90 {p90} ms, p99 {p99} ms")));
    }
    lines.extend(report.flow_valid_share.map(|s| ("flow", of_pixels(s))));
    lines.extend(report.stereo_valid_share.map(|s| ("disparity", of_pixels(s))));
    lines.extend(report.features_valid_share.map(|s| ("phase", of_pixels(s))));
    lines.push(("device", device_text(&report.header.device)));
    lines.extend(written(run));
    lines
}

fn of_pixels(share: f64) -> String {
    format!("at {} of the pixels", percent(share))
}

/// Reads the name of a folder, and refuses a video, which belongs to another option.
fn folder(text: &str) -> Result<PathBuf, String> {
    match Path::new(text).extension().and_then(|extension| extension.to_str()) {
        Some("y4m" | "gif") => Err(format!("this is a folder for fields; the video is --video {text}")),
        _ => Ok(PathBuf::from(text)),
    }
}

/// Reads a number of frames; returns the parameter's word for it.
fn frames(text: &str) -> Result<&'static str, String> {
    match text {
        "2" => Ok("two"),
        "3" => Ok("three"),
        "5" => Ok("five"),
        _ => Err("expected 2, 3 or 5".to_owned()),
    }
}
