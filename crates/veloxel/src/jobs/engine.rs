//! A stream of frames in, flow, disparity and features of every frame out, as fast as they come.
//!
//! This thread brings frames, a second one fetches what was found for them, a third one writes it.
//! A frame is on the device while the one before it is fetched and the one before that is written; so the
//! slowest of the three sets the rate. Fields are fetched where they are written; else the number of known pixels alone.

use super::engine_frames::{NextFrame, Read, Source, Streams, Views, no_thread, read_ahead};
use super::engine_job::{EngineJob, EngineRun};
use super::engine_outputs::{Results, Shown};
use super::{Account, OutputPlan, Result, Stages, full_scale, name};
use crate::Session;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Instant;
use veloxel_core::parameters::Parameters;
use veloxel_core::{Grid, WarningKind};
use veloxel_gpu::Device;
use veloxel_io::FrameStream;
use veloxel_motion::{
    KnownShares, PhaseCounts, PhaseEngine, PhaseFields, PhaseOutputs, PhaseParameters, PhaseTaken,
};
use veloxel_report::number::counted;
use veloxel_report::{EngineReport, FrameReport, LatencyReport, engine_html};

/// Frames between being pushed and being written: one on the device, one on its way, one being written.
const IN_FLIGHT: usize = 3;

/// Runs the engine over a stream and writes what was asked for: a folder of fields and a video appear whole or not at all.
///
/// Where a stream on standard input is stopped by the session's observer, it is taken to end there, even if its next frame is not there
/// yet: what was found until then is written, and a warning says so.
///
/// # Errors
/// [`VeloxelError::Frames`](crate::VeloxelError::Frames) for too few frames, or one stream longer than the other;
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped) where any other source is stopped; anything else that is wrong with
/// frames, parameters or the device, as one line.
pub fn engine(job: &EngineJob, session: &Session) -> Result<EngineRun> {
    let options = &job.options;
    let mut plan = job.plan()?;
    let (device, mut log) = (session.device()?, Account::begin(session)?);
    let mut open = |path: &Path| FrameStream::open(path, options.reading, &mut log.warnings);
    let left = open(&job.source)?;
    let right = job.right.as_deref().map(&mut open).transpose()?;
    let interval_ms = left.frame_interval_ms();
    let start = Instant::now();

    let (reader, pairs) = read_ahead(Streams { left, right, count: 0 })?;
    let run = Run::over(pairs, job, &mut plan, device, interval_ms, &mut log)?;
    if run.is_stopped {
        let message = format!("stopped after {} frames: what was found until then is written", run.frames);
        log.warnings.push(WarningKind::Content, message);
    } else {
        reader.join().expect("reading frames should not panic");
    }
    let inputs = plan.input_reports(|_| &run.grid);
    let header = options.header("phase-engine", run.parameters.to_json(), log, inputs);
    let wall_s = start.elapsed().as_secs_f64();
    let Run { grid, frames, found, .. } = &run;
    let ([nx, ny, _], wanted) = (grid.size(), job.wanted());
    let latencies_ms: Vec<f64> = found.frames.iter().map(|frame| frame.latency_ms).collect();
    let names = [("flow", wanted.flow), ("stereo", wanted.stereo), ("features", wanted.features)];
    let report = EngineReport {
        header,
        size: [nx, ny],
        outputs: names.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect(),
        frames: *frames,
        results: found.frames.len(),
        wall_s,
        frames_per_s: *frames as f64 / wall_s.max(1e-9),
        latency: LatencyReport::of(&latencies_ms),
        flow_valid_share: found.mean_share(|frame| frame.flow_valid_share),
        stereo_valid_share: found.mean_share(|frame| frame.stereo_valid_share),
        features_valid_share: found.mean_share(|frame| frame.features_valid_share),
        per_frame: found.frames.clone(),
    };
    plan.publish(report, |report| match &run.shown {
        Some(shown) => Ok(engine_html(report, &shown.view(&name(&job.source)))?),
        None => Ok(String::new()),
    })
}

/// What comes out of a stream beside its files.
struct Run {
    parameters: PhaseParameters,
    grid: Grid,
    frames: usize,
    /// Whether the stream was ended before its end.
    is_stopped: bool,
    found: Found,
    /// What the page shows.
    shown: Option<Shown>,
}

/// What was found, in numbers.
#[derive(Default)]
struct Found {
    frames: Vec<FrameReport>,
    /// How long the engine had a frame to work on.
    busy_ms: f64,
}

/// A frame whose results are on the device.
struct Pushed {
    frame: u64,
    /// When the frame they belong to, and when the last one that they needed, was in memory.
    begin: [Instant; 2],
    /// The frame they belong to, where pictures are wanted.
    own: Option<Read>,
    counts: PhaseCounts,
    fields: Option<PhaseTaken>,
}

/// A frame whose results are here.
struct Arrived {
    frame: u64,
    own: Option<Read>,
    fields: Option<PhaseFields>,
}

impl Run {
    fn over(
        pairs: Receiver<NextFrame>,
        job: &EngineJob,
        plan: &mut OutputPlan,
        device: &Device,
        interval_ms: Option<f64>,
        log: &mut Account,
    ) -> Result<Self> {
        let (control, at_stop) = (device.control(), job.at_stop());
        let mut source = Source { pairs, control, at_stop, is_stopped: false, log };
        let Some(first) = source.next()? else {
            return Err(frames!("{}: not a single frame", job.source.display()));
        };
        let grid = first.left.image.grid().clone();
        let [nx, ny, _] = grid.size();
        // A dark first frame says nothing of the others: less than 8 bits is not guessed.
        let white = full_scale(&first.left.image).max(255.0);
        let parameters = job.options.method.phase_parameters(white)?;
        let wanted = job.wanted();
        let engine = PhaseEngine::new([nx, ny], wanted, parameters.clone(), device)?;
        let results = Results::new(plan, job, interval_ms)?;

        let (frames, found, writing) = std::thread::scope(|scope| {
            let (free, slots) = sync_channel(IN_FLIGHT);
            (0..IN_FLIGHT)
                .for_each(|_| free.send(()).expect("an empty channel should take what it has room for"));
            let (push, pushed) = channel();
            let (arrive, arrived) = channel();
            let thread = std::thread::Builder::new;
            let fetcher = thread().spawn_scoped(scope, || fetch_all(pushed, arrive)).map_err(no_thread)?;
            let writer =
                thread().spawn_scoped(scope, || write_all(results, arrived, free)).map_err(no_thread)?;
            let frames = push_all(engine, &mut source, job, first, push, slots);
            // A thread that fails stops those before it, whose channels then end: its own error is the one to tell.
            let panicked = "a thread of the engine should not panic";
            let (found, writing) = (fetcher.join().expect(panicked), writer.join().expect(panicked));
            Ok::<_, crate::VeloxelError>((frames, found, writing))
        })?;
        let ((results, writing), found, frames) = (writing?, found?, frames?);
        let Source { is_stopped, log: Account { stages, warnings, .. }, .. } = source;
        let needed = parameters.frames.count();
        if wanted.flow && frames < needed {
            return Err(frames!(
                "{}: {}, but flow needs {needed}: give more, or ask for --frames 2 or 3, or --only features",
                job.source.display(),
                counted(frames, "frame")
            ));
        }
        stages.add("engine", found.busy_ms);
        stages.merge(writing);
        let shown = stages.time("write", || results.finish(warnings))?;
        Ok(Self { parameters, grid, frames, is_stopped, found, shown })
    }
}

/// The frames whose results are still to come: when each was in memory, and the frame itself where pictures show it.
#[derive(Default)]
struct Waiting(VecDeque<(Instant, Option<Read>)>);

impl Waiting {
    /// The one that results belong to; `pushed` frames have come.
    fn take(&mut self, frame: u64, pushed: usize) -> (Instant, Option<Read>) {
        while self.0.len() > pushed - frame as usize {
            self.0.pop_front();
        }
        self.0.pop_front().expect("a frame with results should have been pushed")
    }
}

/// Pushes every frame as soon as there is room for its results; their number.
fn push_all(
    mut engine: PhaseEngine,
    source: &mut Source<'_>,
    job: &EngineJob,
    first: Views,
    push: Sender<Pushed>,
    slots: Receiver<()>,
) -> Result<usize> {
    let (fetched, mut waiting) = (job.fetched(), Waiting::default());
    let shows_frames = job.video.is_some() || job.html.is_some();
    // Sends what was found for a frame on its way; whether anybody takes it.
    let hand_over = |outputs: PhaseOutputs<'_>, (since, own), begin| -> Result<bool> {
        let (frame, counts) = (outputs.frame(), outputs.count_known()?);
        let fields = fetched.map(|confidences| outputs.take(confidences)).transpose()?;
        Ok(push.send(Pushed { frame, begin: [since, begin], own, counts, fields }).is_ok())
    };
    let (mut frames, mut next, mut has_slot) = (0, Some(first), false);
    while let Some(Views { left, right, .. }) = next {
        // No sender any more: what comes later has failed, and says so itself.
        if !has_slot && slots.recv().is_err() {
            break;
        }
        frames += 1;
        let begin = Instant::now();
        let outputs = engine.push(left.as_phase_image(), right.as_ref().map(Read::as_phase_image))?;
        waiting.0.push_back((begin, shows_frames.then_some(left)));
        has_slot = outputs.is_none();
        if let Some(outputs) = outputs {
            let own = waiting.take(outputs.frame(), frames);
            if !hand_over(outputs, own, begin)? {
                break;
            }
        }
        next = source.next()?;
    }
    // The last frames have no flow.
    while has_slot || slots.recv().is_ok() {
        let begin = Instant::now();
        let Some(outputs) = engine.drain()? else { break };
        let own = waiting.take(outputs.frame(), frames);
        if !hand_over(outputs, own, begin)? {
            break;
        }
        has_slot = false;
    }
    Ok(frames)
}

/// Fetches results in the order of their frames, and takes the times.
fn fetch_all(pushed: Receiver<Pushed>, arrive: Sender<Arrived>) -> Result<Found> {
    let mut found = Found::default();
    let mut before: Option<Instant> = None;
    for Pushed { frame, begin, own, counts, fields } in pushed {
        let fields = fields.map(PhaseTaken::fetch).transpose()?;
        let KnownShares { flow, stereo, features } = counts.get()?;
        let here = Instant::now();
        let ms_since = |then: Instant| here.duration_since(then).as_secs_f64() * 1e3;
        found.frames.push(FrameReport {
            frame,
            latency_ms: ms_since(begin[0]),
            flow_valid_share: flow,
            stereo_valid_share: stereo,
            features_valid_share: features,
        });
        found.busy_ms += ms_since(before.map_or(begin[1], |before| before.max(begin[1])));
        before = Some(here);
        if arrive.send(Arrived { frame, own, fields }).is_err() {
            break;
        }
    }
    Ok(found)
}

/// Writes results, and makes room for others.
fn write_all(
    mut results: Results,
    arrived: Receiver<Arrived>,
    free: SyncSender<()>,
) -> Result<(Results, Stages)> {
    let mut stages = Stages::default();
    for Arrived { frame, own, fields } in arrived {
        if let Some(fields) = fields {
            stages.time("write", || results.take(frame, own.map(|own| own.image), fields))?;
        }
        // The thread that pushes may have ended.
        let _ = free.send(());
    }
    Ok((results, stages))
}

impl Found {
    /// The mean over frames that have it.
    fn mean_share(&self, of: impl Fn(&FrameReport) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.frames.iter().filter_map(of).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }
}
