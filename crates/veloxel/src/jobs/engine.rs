//! A stream of frames in, flow, disparity and features of every frame out, as fast as they come.

use super::RunOptions;
use super::engine_frames::Streams;
use super::engine_run::{Ending, Run};
use super::outputs::{check_distinct, check_outputs, format_text};
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::sync_channel;
use std::time::Instant;
use veloxel_core::{WarningKind, Warnings};
use veloxel_io as io;
use veloxel_io::FrameStream;
use veloxel_motion::PhaseWanted;
use veloxel_motion::phase::parameters::Frames;
use veloxel_report::{EngineReport, InputReport, LatencyReport};

/// Frames that are read ahead of the engine.
const READ_AHEAD: usize = 3;

/// One run over a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineJob {
    /// Left (or the only) frames: `-` for Y4M on standard input, a `.y4m` or `.gif` file, a folder, a pattern.
    pub source: PathBuf,
    /// Right frames, likewise.
    pub right: Option<PathBuf>,
    /// Which outputs; stereo needs right frames.
    pub wanted: EngineOutputs,
    /// Frames that a flow field is estimated from, if not as the parameters say.
    pub frames: Option<Frames>,
    /// Everything else that a run is told.
    pub options: RunOptions,
    /// The folder for the fields of every frame; made if it is not there.
    pub folder: Option<PathBuf>,
    /// The annotated video: `.y4m`, `.gif`, `-` for Y4M on standard output, or a folder for PNG pictures.
    pub video: Option<PathBuf>,
    /// JSON.
    pub report: Option<PathBuf>,
}

/// What the engine computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineOutputs {
    /// Flow towards the next frame.
    pub flow: bool,
    /// Disparity, where there are right frames.
    pub stereo: bool,
    /// Energy, orientation and phase at full resolution.
    pub features: bool,
}

impl Default for EngineOutputs {
    /// All of them.
    fn default() -> Self {
        Self { flow: true, stereo: true, features: true }
    }
}

/// What a run has to say, and the files it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineRun {
    /// As in `report.json`.
    pub report: EngineReport,
    /// What and where.
    pub written: Vec<(&'static str, PathBuf)>,
}

/// Runs the engine over a stream and writes what was asked for: a folder of fields and a video appear whole or not at all.
///
/// Once `stop` is set, from another thread, the stream is taken to end there, even if it owes its next frame: what was found
/// until then is written, and a warning says so.
///
/// # Errors
/// [`VeloxelError::Frames`] for too few frames, or one stream longer than the other; anything else that is wrong with
/// frames, parameters or the device, as one line.
pub fn engine(job: &EngineJob, stop: &AtomicBool) -> Result<EngineRun, VeloxelError> {
    let options = &job.options;
    check_outputs(&[(job.report.as_deref(), None)], None)?;
    if job.right.as_deref() == Some(Path::new("-")) && job.source == Path::new("-") {
        let reason = "both streams come from standard input: give the right one as a file or a folder";
        return Err(VeloxelError::Frames { reason: reason.to_owned() });
    }
    let outputs = [job.folder.as_deref(), job.video.as_deref(), job.report.as_deref()];
    check_distinct(std::iter::once(&job.source).chain(&job.right).map(PathBuf::as_path), outputs)?;
    // A name without an extension is a folder of pictures.
    if let Some(video) = job.video.as_deref().filter(|v| v.extension().is_some()) {
        io::check_video_output(video)?;
    }
    let (device, device_report) = options.device.open()?;
    let mut warnings = Warnings::new();
    let mut open = |path: &Path| FrameStream::open(path, options.strictness, &mut warnings);
    let left = open(&job.source)?;
    let right = job.right.as_deref().map(&mut open).transpose()?;
    let interval_ms = left.frame_interval_ms();
    let start = Instant::now();

    let (sender, pairs) = sync_channel(READ_AHEAD);
    // A thread that nobody waits for when a stream that is stopped owes its next frame.
    let reader = std::thread::spawn(move || {
        let mut streams = Streams { left, right, count: 0 };
        loop {
            let pair = streams.next();
            let go_on = matches!(pair, Ok(Some(_)));
            // Nobody listens any more once a result could not be written.
            if sender.send(pair).is_err() || !go_on {
                return;
            }
        }
    });
    let run = Run::over((pairs, stop), job, (&device, interval_ms))?;
    if run.ending == Ending::OfStream {
        reader.join().expect("reading frames should not panic");
    }
    let Run { parameters, grid, frames, ending, found, warnings: said, stages, mut written } = run;
    warnings.extend(said);
    if ending == Ending::Stopped {
        let message = format!("stopped after {frames} frames: what was found until then is written");
        warnings.push(WarningKind::Content, message);
    }
    let wall_s = start.elapsed().as_secs_f64();
    let [nx, ny, _] = grid.size();
    let input =
        |role, path: &PathBuf| InputReport::new(role, &path.display().to_string(), &format_text(path), &grid);
    let mut inputs = vec![input("left", &job.source)];
    inputs.extend(job.right.as_ref().map(|path| input("right", path)));
    let wanted = job.wanted();
    let names = [("flow", wanted.flow), ("stereo", wanted.stereo), ("features", wanted.features)];
    let report = EngineReport {
        header: options.header("phase-engine", (&parameters, device_report), inputs, (stages, warnings)),
        size: [nx, ny],
        outputs: names.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect(),
        frames,
        results: found.latencies_ms.len(),
        wall_s,
        engine_frames_per_s: found.latencies_ms.len() as f64 / (found.busy_ms / 1e3).max(1e-9),
        frames_per_s: frames as f64 / wall_s.max(1e-9),
        latency: LatencyReport::of(&found.latencies_ms),
        flow_valid_share: found.mean_share(|s| s.flow),
        stereo_valid_share: found.mean_share(|s| s.stereo),
        features_valid_share: found.mean_share(|s| s.features),
    };
    if let Some(path) = &job.report {
        io::write_text(path, &report.to_json()?)?;
        written.push(("report", path.clone()));
    }
    Ok(EngineRun { report, written })
}

impl EngineJob {
    pub(super) fn wanted(&self) -> PhaseWanted {
        let EngineOutputs { flow, stereo, features } = self.wanted;
        PhaseWanted { flow, stereo: stereo && self.right.is_some(), features }
    }
}
