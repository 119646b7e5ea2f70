//! `veloxel engine`: a stream of pictures or volumes to flow, and of pictures to disparity and features as well.

use crate::commands::flow::methods;
use crate::{
    Ending, MethodArguments, Outcome, Run, device_text, followed, followed_until, print_lines, say, warn,
    warn_and_note, words, written, wrong_usage,
};
use clap::Args;
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use veloxel::io::write_text;
use veloxel::jobs::{EngineJob, EngineRun, FramesTaken, WatchUntil, engine, engine_dry_run, has_no_whole};
use veloxel::pipelines::Wanted;
use veloxel::pipelines::engine::{ConfidenceChoice, DeliveredTypes, EngineForecast, FeatureScales};
use veloxel::report::number::{counted, percent, size, text};
use veloxel::report::{LatencyReport, to_json};
use veloxel::{PhaseWanted, Session};

/// The method that has disparities and features.
const PHASE: &str = "phase";

/// Run flow, stereo and features over a stream of frames, in one pass.
///
/// SOURCE is a folder of pictures or volumes, a pattern such as 'frames/*.png', a film (.mp4, .webm, .mkv, …), a camera
/// (/dev/video0), an address (rtsp://…), an animated GIF, a Y4M file, a file with a time axis (.nii, .nrrd, .npy, …), a file of
/// raw frames (.frames), or - for standard input: Y4M, or raw frames behind one line of JSON, such as
/// {"shape": [128, 128, 128], "dtype": "float32", "spacing_mm": [0.7, 0.7, 0.7], "interval_ms": 20}, shape in the order z, y, x.
/// Films, cameras and addresses are decoded by the program ffmpeg, which has to be installed.
/// With --watch SOURCE is a folder that grows: new files are frames as soon as they can be read.
/// Ctrl-C ends a stream on standard input, of a camera, of an address, or of --watch, there: what was found until then is written, and a second Ctrl-C stops
/// at once.
/// With --method clg, lucas-kanade, block-matching or fe, pictures and volumes alike, the flow of every frame to the next is found
/// as soon as that one is there, bit by bit as `veloxel flow` finds it, and nothing else.
/// With --method phase flow belongs to the centre of five frames (or three, or the first of two), so results come two frames (one) late, and the
/// frames at both ends have none; stereo and features have every frame.
#[derive(Debug, Args)]
#[command(after_long_help = crate::commands::parameters::long_help("phase"))]
pub struct EngineArguments {
    /// Frames; with --right the left ones
    #[arg(value_name = "SOURCE")]
    source: PathBuf,

    /// Right frames: with them, disparities as well; of --method phase
    #[arg(long, value_name = "SOURCE")]
    right: Option<PathBuf>,

    /// Wait for new files in the folder SOURCE, until Ctrl-C
    #[arg(long)]
    watch: bool,

    /// End --watch after so long without a new file as well, seconds
    #[arg(long, value_name = "SECONDS", requires = "watch", value_parser = seconds)]
    idle: Option<Duration>,

    /// Drop frames that come faster than results are found, and take the newest: of standard input, a camera, an address, or --watch
    #[arg(long)]
    drop: bool,

    /// These outputs only
    #[arg(long, value_parser = ["flow", "stereo", "features"], value_name = "OUTPUT", value_delimiter = ',')]
    only: Vec<String>,

    /// Frames that a flow field of --method phase is estimated from
    #[arg(long, value_name = "2|3|5", value_parser = frames)]
    frames: Option<&'static str>,

    /// A folder for the fields of every frame: flow_000002.flo (of volumes .nii), disparity_000002.pfm, energy, orientation and
    /// phase
    #[arg(short, long, value_name = "DIR", value_parser = folder, help_heading = "Outputs")]
    output: Option<PathBuf>,

    /// The confidences of flow and disparity as well, in the folder of -o: flow_confidence_000002.pfm
    #[arg(long, requires = "output", help_heading = "Outputs")]
    confidence: bool,

    /// The types of samples in the folder of -o, as .npy files: f32, f16, or pairs such as flow=f16,confidence=u8. Results are flow,
    /// disparity, confidence, energy, orientation and phase; u8 is for the last three and for confidence, where 255 is 1; of angles
    /// 255 is unknown, and 0 to 254 are shares of 180° (orientation) or 360° (phase) of 255
    #[arg(long, value_name = "TYPES", requires = "output", help_heading = "Outputs")]
    samples: Option<DeliveredTypes>,

    /// Features of every scale in the folder of -o, coarser ones as energy_000002_1.pfm, or of full resolution alone
    #[arg(long, value_parser = scales(), default_value = "finest", help_heading = "Outputs")]
    scales: FeatureScales,

    /// All results of a frame, a picture, in 63 bits a pixel as well, in the folder of -o: packed_000002.p63
    #[arg(long, requires = "output", help_heading = "Outputs")]
    packed: bool,

    /// The frames, pictures, with all outputs in colours: .y4m, .gif, - for Y4M on standard output, or a folder for .png
    #[arg(long, value_name = "VIDEO", help_heading = "Outputs")]
    video: Option<PathBuf>,

    /// A page with the rate, curves over all frames, and pictures of the frame that moves most, in one file
    #[arg(long, value_name = "OUT.html", help_heading = "Outputs")]
    html: Option<PathBuf>,

    /// Frames per second, latencies, device, parameters and warnings as JSON
    #[arg(long, value_name = "OUT.json", help_heading = "Outputs")]
    report: Option<PathBuf>,

    /// Print what would run, the memory that it would need, and the files that it would write; only headers are read, and nothing is
    /// written but --report, as JSON
    #[arg(long, conflicts_with = "html", help_heading = "Memory")]
    dry_run: bool,

    /// How to estimate: only phase has disparities and features
    #[arg(long = "method", value_name = "METHOD", value_parser = methods(), default_value = PHASE, help_heading = "Method")]
    name: String,

    #[command(flatten)]
    method: MethodArguments,
}

impl Run for EngineArguments {
    fn run(self) -> Outcome {
        let names = |output| self.only.iter().any(|named| named == output);
        if self.right.is_none() && names("stereo") {
            let message = "--only stereo needs the right frames: give them with --right";
            return Err(wrong_usage("engine", ErrorKind::MissingRequiredArgument, message).into());
        }
        // What a method of pairs does not find is left out where it is not asked for.
        let is_phase = self.name == PHASE;
        let asked = |output| names(output) || (self.only.is_empty() && (is_phase || output == "flow"));
        let stereo = asked("stereo") || self.right.is_some() && !is_phase;
        let (flow, features) = (asked("flow"), asked("features"));
        let wanted = PhaseWanted { flow, stereo, features };
        let endless = std::iter::once(&self.source).chain(&self.right).any(|source| has_no_whole(source));
        // Of anything else there is a whole, and a part of it would pass for that.
        let ending = if endless || self.watch { Ending::WritesFound } else { Ending::Discards };
        let mut options = self.method.stream_options("engine", &self.name)?;
        if let Some(frames) = self.frames {
            options.method = options.method.set("frames", frames)?;
        }
        let confidences = if self.confidence { ConfidenceChoice::Taken } else { ConfidenceChoice::Left };
        let (packed, scales, samples) = (Wanted::when(self.packed), self.scales, self.samples);
        let watch = self.watch.then(|| self.idle.map_or(WatchUntil::Stopped, WatchUntil::Idle));
        let taken = if self.drop { FramesTaken::Newest } else { FramesTaken::All };
        let Self { source, right, output: folder, video, report, html, method, .. } = self;
        let is_piped = video.as_deref() == Some(Path::new("-"));
        let job = EngineJob {
            source,
            watch,
            taken,
            right,
            wanted,
            options,
            folder,
            confidences,
            samples,
            scales,
            packed,
            video,
            report,
            html,
        };
        if self.dry_run {
            return followed(&method.session(), method.bar(), |session| show_dry_run(&job, session));
        }
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

/// Shows what a job would do; if a report is requested, the plan is written as JSON in its place.
fn show_dry_run(job: &EngineJob, session: &Session) -> Outcome {
    let run = engine_dry_run(job, session)?;
    warn_and_note(&run.warnings);
    if let Some(path) = &job.report {
        write_text(session.files().target(path), &to_json(&run)?)?;
    }
    let EngineForecast { frames_needed, peak_bytes, parts, device_bytes } = &run.forecast;
    let parts: Vec<_> = parts.iter().map(|part| format!("{} {}", part.what, size(part.bytes))).collect();
    let axes: Vec<_> = run.size.iter().map(usize::to_string).collect();
    let frames = run.frames.map_or_else(|| "frames".to_owned(), |count| counted(count, "frame"));
    let mut lines = vec![
        ("method", format!("{}, preset {}: {}", run.method, run.preset, run.outputs.join(" + "))),
        ("device", run.device.name.clone()),
        ("frames", format!("{frames} of {}; a flow is found from {frames_needed}", axes.join(" × "))),
        ("memory", format!("{}: {}", size(*peak_bytes), parts.join(", "))),
    ];
    if parts.iter().all(|part| !part.starts_with("method")) {
        lines.push(("on device", size(*device_bytes)));
    }
    lines.extend(run.writes.iter().map(|(role, path)| (role.text(), path.display().to_string())));
    print_lines(&lines)
}

fn summary(run: &EngineRun) -> Vec<(&str, String)> {
    let report = &run.report;
    let size: Vec<_> = report.size.iter().map(usize::to_string).collect();
    let of_all = if size.len() == 2 { of_pixels } else { of_voxels };
    let mut lines = vec![
        ("frames", format!("{} of {}, {}", report.frames, size.join(" × "), report.outputs.join(" + "))),
        ("rate", format!("{} frames per second, in {} s", text(report.frames_per_s), text(report.wall_s))),
    ];
    if let Some(dropped) = report.dropped {
        lines.push(("dropped", format!("{dropped} of {} frames", dropped + report.frames)));
    }
    let percentiles = |latency: &LatencyReport| {
        let [p50, p90, p99] = [latency.p50_ms, latency.p90_ms, latency.p99_ms].map(text);
        format!("p50 {p50} ms, p90 {p90} ms, p99 {p99} ms")
    };
    lines.extend(report.latency.as_ref().map(|latency| ("latency", percentiles(latency))));
    let response = |latency| format!("{}, from the last frame needed", percentiles(latency));
    lines.extend(report.response.as_ref().map(|latency| ("response", response(latency))));
    lines.extend(report.flow_valid_share.map(|s| ("flow", of_all(s))));
    lines.extend(report.stereo_valid_share.map(|s| ("disparity", of_all(s))));
    lines.extend(report.features_valid_share.map(|s| ("phase", of_all(s))));
    lines.push(("device", device_text(&report.header.device)));
    lines.extend(written(run));
    lines
}

fn of_pixels(share: f64) -> String {
    format!("at {} of the pixels", percent(share))
}

fn of_voxels(share: f64) -> String {
    format!("at {} of the voxels", percent(share))
}

/// The words of `--scales`.
fn scales() -> impl TypedValueParser<Value = FeatureScales> {
    words([("finest", FeatureScales::Finest), ("all", FeatureScales::All)])
}

/// Reads a time.
fn seconds(text: &str) -> Result<Duration, String> {
    let read = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    read.filter(|time| !time.is_zero()).ok_or_else(|| "expected seconds above 0".to_owned())
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
