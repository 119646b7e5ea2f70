//! A stream of frames in, flow, disparity and features of every frame out, as fast as they come.

use super::PhaseChoice;
use super::engine_outputs::{FrameResult, Results};
use super::outputs::{check_distinct, check_outputs, format_text};
use super::phase_choice::full_scale;
use super::stage::Stages;
use crate::VeloxelError;
use crate::report::{EngineReport, InputReport, LatencyReport};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;
use veloxel_compute::Device;
use veloxel_core::{Volume, Warnings};
use veloxel_io as io;
use veloxel_io::FrameStream;
use veloxel_motion::phase_parameters::Frames;
use veloxel_motion::{PhaseEngine, PhaseImage, PhaseOutputs, PhaseParameters, PhaseWanted};

/// Frames that are read ahead of the engine.
const READ_AHEAD: usize = 3;

/// One run over a stream.
#[derive(Debug, Clone, PartialEq, Default)]
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
    pub choice: PhaseChoice,
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
/// # Errors
/// [`VeloxelError::Frames`] for too few frames, or one stream longer than the other; anything else that is wrong with
/// frames, parameters or the device, as one line.
pub fn engine(job: &EngineJob) -> Result<EngineRun, VeloxelError> {
    let choice = &job.choice;
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
    let (device, device_report) = choice.device.open()?;
    let mut warnings = Warnings::new();
    let mut open = |path: &Path| FrameStream::open(path, choice.strictness, &mut warnings);
    let left = open(&job.source)?;
    let right = job.right.as_deref().map(&mut open).transpose()?;
    let interval_ms = left.frame_interval_ms();
    let start = Instant::now();

    let run = std::thread::scope(|scope| -> Result<Run, VeloxelError> {
        let (sender, pairs) = sync_channel(READ_AHEAD);
        scope.spawn(move || {
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
        Run::over(&pairs, job, (&device, interval_ms))
    })?;
    let Run {
        parameters,
        size,
        frames,
        results,
        latencies_ms,
        shares,
        warnings: said,
        stages,
        written,
        grid,
    } = run;
    warnings.extend(said);
    let wall_s = start.elapsed().as_secs_f64();
    let engine_s = latencies_ms.iter().sum::<f64>() / 1e3;
    let input =
        |role, path: &PathBuf| InputReport::new(role, &path.display().to_string(), &format_text(path), &grid);
    let mut inputs = vec![input("left", &job.source)];
    inputs.extend(job.right.as_ref().map(|path| input("right", path)));
    let wanted = job.wanted();
    let names = [("flow", wanted.flow), ("stereo", wanted.stereo), ("features", wanted.features)];
    let report = EngineReport {
        header: choice.header("phase-engine", (&parameters, device_report), inputs, (stages, warnings))?,
        size,
        outputs: names.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect(),
        frames,
        results,
        wall_s,
        engine_frames_per_s: latencies_ms.len() as f64 / engine_s.max(1e-9),
        frames_per_s: frames as f64 / wall_s.max(1e-9),
        latency: LatencyReport::of(&latencies_ms),
        flow_valid_share: shares.mean(|s| s.flow),
        stereo_valid_share: shares.mean(|s| s.stereo),
    };
    let mut written = written;
    if let Some(path) = &job.report {
        io::write_text(path, &report.to_json()?)?;
        written.push(("report", path.clone()));
    }
    Ok(EngineRun { report, written })
}

impl EngineJob {
    fn wanted(&self) -> PhaseWanted {
        let EngineOutputs { flow, stereo, features } = self.wanted;
        PhaseWanted { flow, stereo: stereo && self.right.is_some(), features }
    }
}

/// A frame as it was read, ready to be uploaded.
struct Read {
    image: Volume<f32>,
    /// The same in 8 bits, where they hold it.
    bytes: Option<Vec<u8>>,
}

impl Read {
    fn of(image: Volume<f32>, (name, number): (&Path, usize)) -> Result<Self, VeloxelError> {
        image.require_finite(&format!("{}, frame {number}", name.display()), |_| false)?;
        let whole = image.data().iter().all(|v| v.fract() == 0.0 && (0.0..=255.0).contains(v));
        let bytes = whole.then(|| image.data().iter().map(|&v| v as u8).collect());
        Ok(Self { image, bytes })
    }

    fn as_phase_image(&self) -> PhaseImage<'_> {
        match &self.bytes {
            Some(bytes) => PhaseImage::Bytes(bytes),
            None => PhaseImage::Samples(self.image.data()),
        }
    }
}

/// A frame, its right one, and what reading them had to say.
type Frame = (Read, Option<Read>, Warnings);

struct Streams {
    left: FrameStream,
    right: Option<FrameStream>,
    count: usize,
}

impl Streams {
    fn next(&mut self) -> Result<Option<Frame>, VeloxelError> {
        let mut warnings = Warnings::new();
        let left = self.left.next_frame(&mut warnings)?;
        let Some(right_stream) = &mut self.right else {
            let Some(left) = left else { return Ok(None) };
            let left = Read::of(left, (self.left.name(), self.count))?;
            self.count += 1;
            return Ok(Some((left, None, warnings)));
        };
        let right = right_stream.next_frame(&mut warnings)?;
        let (left, right) = match (left, right) {
            (None, None) => return Ok(None),
            (Some(left), Some(right)) => (left, right),
            (left, _) => {
                let (longer, shorter) = match left {
                    Some(_) => (self.left.name(), right_stream.name()),
                    None => (right_stream.name(), self.left.name()),
                };
                let reason = format!(
                    "{} ends after {} frames, but {} goes on: left and right must be as long",
                    shorter.display(),
                    self.count,
                    longer.display()
                );
                return Err(VeloxelError::Frames { reason });
            }
        };
        left.grid().require_same(right.grid(), "left and right frame")?;
        let left = Read::of(left, (self.left.name(), self.count))?;
        let right = Read::of(right, (right_stream.name(), self.count))?;
        self.count += 1;
        Ok(Some((left, Some(right), warnings)))
    }
}

/// Share of pixels with an estimate, frame by frame.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    flow: Option<f64>,
    stereo: Option<f64>,
}

#[derive(Default)]
struct Shares(Vec<Share>);

impl Shares {
    fn mean(&self, of: impl Fn(&Share) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.0.iter().filter_map(of).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }
}

/// What comes out of a stream beside its files.
struct Run {
    parameters: PhaseParameters,
    size: [usize; 2],
    grid: veloxel_core::Grid,
    frames: usize,
    results: usize,
    latencies_ms: Vec<f64>,
    shares: Shares,
    warnings: Warnings,
    stages: Stages,
    written: Vec<(&'static str, PathBuf)>,
}

impl Run {
    fn over(
        pairs: &Receiver<Result<Option<Frame>, VeloxelError>>,
        job: &EngineJob,
        (device, interval_ms): (&Device, Option<f64>),
    ) -> Result<Self, VeloxelError> {
        let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
        let mut receive = |stages: &mut Stages| -> Result<Option<(Read, Option<Read>)>, VeloxelError> {
            let frame = stages.time("read", || pairs.recv().unwrap_or(Ok(None)))?;
            Ok(frame.map(|(left, right, said)| {
                warnings.extend(said);
                (left, right)
            }))
        };
        let Some(first) = receive(&mut stages)? else {
            let reason = format!("{}: not a single frame", job.source.display());
            return Err(VeloxelError::Frames { reason });
        };
        let grid = first.0.image.grid().clone();
        let [nx, ny, _] = grid.size();
        // A dark first frame says nothing of the others: less than 8 bits is not guessed.
        let parameters = job.choice.resolve(full_scale(&first.0.image).max(255.0), job.frames)?;
        let wanted = job.wanted();
        let mut engine = PhaseEngine::new([nx, ny], wanted, parameters.clone(), device)?;
        let mut results = Results::new(job, [nx, ny], interval_ms)?;
        let mut recent: VecDeque<Read> = VecDeque::new();
        let (mut latencies_ms, mut shares, mut frames) = (Vec::new(), Shares::default(), 0);
        let mut next = Some(first);
        while let Some((left, right)) = next {
            frames += 1;
            let begin = Instant::now();
            let outputs = engine.push(left.as_phase_image(), right.as_ref().map(Read::as_phase_image))?;
            let result = outputs.map(|outputs| fetch(&outputs)).transpose()?;
            let time_ms = begin.elapsed().as_secs_f64() * 1e3;
            stages.add("engine", time_ms);
            recent.push_back(left);
            if let Some(result) = result {
                latencies_ms.push(time_ms);
                shares.0.push(Share {
                    flow: result.flow.as_ref().map(|f| f.report.valid_share),
                    stereo: result.stereo.as_ref().map(|s| s.report.valid_share),
                });
                // The frame that the result belongs to lies so many pushes back.
                let back = frames - 1 - result.frame as usize;
                while recent.len() > back + 1 {
                    recent.pop_front();
                }
                if let Some(own) = recent.front() {
                    stages.time("write", || results.take(&own.image, &result))?;
                }
            }
            next = receive(&mut stages)?;
        }
        if latencies_ms.is_empty() {
            let needed = if wanted.flow { parameters.frames.count() } else { 1 };
            let reason = format!(
                "{}: {frames} {}, but flow needs {needed}: give more, or ask for --frames 2 or 3, or --only features",
                job.source.display(),
                if frames == 1 { "frame" } else { "frames" }
            );
            return Err(VeloxelError::Frames { reason });
        }
        let written = stages.time("write", || results.finish())?;
        Ok(Self {
            parameters,
            size: [nx, ny],
            grid,
            frames,
            results: latencies_ms.len(),
            latencies_ms,
            shares,
            warnings,
            stages,
            written,
        })
    }
}

fn fetch(outputs: &PhaseOutputs<'_>) -> Result<FrameResult, VeloxelError> {
    let mut features = outputs.features(1)?;
    Ok(FrameResult {
        frame: outputs.frame(),
        flow: outputs.flow()?,
        stereo: outputs.stereo()?,
        features: features.as_mut().and_then(|f| f.levels.pop()),
    })
}
