//! A stream of frames from files, a pipe or a folder that grows in, flow, disparity and features of every frame out, as fast as they come.
//!
//! This thread brings frames to the [`Engine`], a second one fetches what was found for them, a third one writes it.
//! A frame is on the device while the one before it is fetched and the one before that is written; so the
//! slowest of the three sets the rate. Fields are fetched where they are written; else the number of known pixels alone.

mod delivered_files;
mod dry_run;
mod frames;
mod job;
mod outputs;
mod stream_warnings;

use super::OutputPlan;
use super::inputs::read_ahead::{AtStop, FramesTaken, ReadAhead, no_thread, stopped_after};
use crate::pipelines::account::{Account, Stages};
use crate::pipelines::engine::{Engine, EngineEnd, EngineFound, EngineFrame, EngineTally, WatchedFrame};
use crate::{Result, Session, VeloxelError};
pub use dry_run::{EngineDryRun, engine_dry_run};
use frames::{EndedBy, Source, Streams, Views};
pub use job::{EngineJob, EngineRun, WatchUntil};
use outputs::Results;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Instant;
use stream_warnings::StreamWarnings;
use veloxel_core::{Stage, WarningKind, Warnings, fallible};
use veloxel_io::{FolderWatch, FrameStream, StreamEnd};
use veloxel_report::{EngineReport, engine_html};

/// Frames between being pushed and being written: one on the device, one on its way, one being written.
const IN_FLIGHT: usize = 3;

/// Runs the engine over a stream and writes what was asked for: a folder of fields and a video appear whole or not at all.
///
/// Where a stream on standard input, or a folder that is watched, is stopped by the session's observer, it is taken to end there, even if its next frame is not
/// there yet: what was found until then is written, and a warning says so.
///
/// # Errors
/// [`EngineError`](crate::pipelines::engine::EngineError) for too few frames; [`VeloxelError::BrokenOff`] where a
/// frame cannot be read after others, whose results are written, as where one stream is longer than the other
/// ([`InputError`](super::InputError)); [`VeloxelError::Stopped`](crate::VeloxelError::Stopped) where any other source is stopped; anything
/// else that is wrong with frames, parameters or the device, as one line.
pub fn engine(job: &EngineJob, session: &Session) -> Result<EngineRun> {
    planned(job, session, job.plan(session)?)
}

fn planned(job: &EngineJob, session: &Session, mut plan: OutputPlan) -> Result<EngineRun> {
    session.device()?;
    session.enter(Stage::Read)?;
    let mut warnings = Warnings::new();
    let mut waiting = Waiting::default();
    let mut streams = streams(job, session, &waiting, &mut warnings)?;
    let interval_ms = streams.left.frame_interval_ms();
    let start = Instant::now();

    waiting.wait_for(&streams);
    let views = ReadAhead::of(job.taken, move || streams.next())?;
    let mut source = Source {
        views: &views,
        control: session.control(),
        at_stop: job.at_stop(),
        has_ended: Arc::default(),
        end: EndedBy::Itself,
        frames: 0,
        times_ms: Vec::new(),
        warnings,
        said: StreamWarnings::default(),
        stages: Stages::default(),
    };
    // What was found until a stream is stopped is a result: nobody stops its frames halfway.
    let beside = (job.at_stop() == AtStop::EndsStream).then(|| session.beside()).transpose()?;
    let working = beside.as_ref().unwrap_or(session);
    let engine = Engine::new(job.request(), working)?;
    let results = Results::new(&mut plan, job, interval_ms, working, &source.has_ended)?;
    let outcome = run(engine, &mut source, results);
    let (frames, end, times_ms) = (source.frames, source.end, source.times_ms);
    let dropped = (job.taken == FramesTaken::Newest).then(|| views.dropped());
    if matches!((&outcome, &end), (Ok(_), EndedBy::Itself)) {
        views.join();
    }
    let (mut outcome, broken) = ended(outcome, end, frames)?;
    session.enter(Stage::Write)?;
    let wall_s = start.elapsed().as_secs_f64();
    let (frames, shown) = (outcome.end.frames, outcome.shown.take());
    let timing = Timing { wall_s, dropped, times_ms: (times_ms.len() == frames).then_some(times_ms) };
    let report = report(job, &plan, outcome, timing);
    let run = plan.publish(report, |report| match &shown {
        Some(shown) => {
            let (heading, name) = (job.heading(), super::name(&job.source));
            Ok(engine_html(report, &shown.view(&heading, &name), session.control())?)
        }
        None => Ok(String::new()),
    })?;
    match broken {
        Some(error) if !run.written.is_empty() => {
            Err(VeloxelError::BrokenOff { error: Box::new(error), frames })
        }
        Some(error) => Err(error),
        None => Ok(run),
    }
}

/// What was found until the stream ended, and why it broke off if it did.
fn ended(outcome: Result<Outcome>, end: EndedBy, frames: usize) -> Result<(Outcome, Option<VeloxelError>)> {
    match (outcome, end) {
        // Too little was found before the stream broke off.
        (Err(_), EndedBy::Failure(error)) => Err(error),
        (outcome, EndedBy::Failure(error)) => Ok((outcome?, Some(error))),
        (outcome, EndedBy::Itself | EndedBy::Reader) => Ok((outcome?, None)),
        (outcome, EndedBy::Stop) => {
            let mut outcome = outcome?;
            outcome.account.warnings.push(WarningKind::Content, stopped_after(frames));
            Ok((outcome, None))
        }
    }
}

/// Ends the wait for further frames of a folder, a film or a camera, whatever becomes of the run.
#[derive(Default)]
struct Waiting {
    folder: StreamEnd,
    films: Vec<StreamEnd>,
}

impl Waiting {
    fn wait_for(&mut self, streams: &Streams) {
        self.films.extend(std::iter::once(&streams.left).chain(&streams.right).filter_map(FrameStream::end));
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.folder.end();
        self.films.iter().for_each(StreamEnd::end);
    }
}

/// Opens the sources.
fn streams(
    job: &EngineJob,
    session: &Session,
    waiting: &Waiting,
    warnings: &mut Warnings,
) -> Result<Streams> {
    let reading = session.reading(job.options.reading).without_transparent();
    let left = match job.watch {
        None => FrameStream::open(&job.source, reading.clone(), warnings)?,
        Some(until) => {
            let watch = FolderWatch { idle: until.idle(), end: waiting.folder.clone() };
            FrameStream::watch(&job.source, watch, reading.clone())?
        }
    };
    let right = job.right.as_deref().map(|path| FrameStream::open(path, reading, warnings)).transpose()?;
    Ok(Streams { left, right, method: job.options.method.draft().clone(), count: 0 })
}

/// How frames came.
struct Timing {
    wall_s: f64,
    /// Frames that were dropped for newer ones, where that is allowed.
    dropped: Option<usize>,
    /// When every frame was taken, milliseconds.
    times_ms: Option<Vec<f64>>,
}

fn report(job: &EngineJob, plan: &OutputPlan, outcome: Outcome, timing: Timing) -> EngineReport {
    let Timing { wall_s, dropped, times_ms } = timing;
    let Outcome { end, tally, account, .. } = outcome;
    let (grid, frames, shares) = (&end.grid, end.frames, tally.mean_shares());
    EngineReport {
        header: job.options.header(job.method(), account, plan.input_reports(|_| grid)),
        size: grid.size()[..grid.dimension().count()].to_vec(),
        outputs: job.outputs(),
        frames,
        results: tally.frames().len(),
        dropped,
        times_ms,
        wall_s,
        frames_per_s: frames as f64 / wall_s.max(1e-9),
        latency: tally.latency(),
        response: tally.response(),
        flow_valid_share: shares.flow,
        stereo_valid_share: shares.stereo,
        features_valid_share: shares.features,
        per_frame: tally.frames().to_vec(),
    }
}

/// What comes out of a stream beside its files.
struct Outcome {
    end: EngineEnd,
    tally: EngineTally,
    account: Account,
    /// What the page shows.
    shown: Option<WatchedFrame>,
}

/// Runs a stream over three threads.
fn run(engine: Engine<'_>, source: &mut Source<'_>, results: Results) -> Result<Outcome> {
    let (engine, tally, writing) = std::thread::scope(|scope| {
        let (free, slots) = sync_channel(IN_FLIGHT);
        (0..IN_FLIGHT)
            .for_each(|_| free.send(()).expect("an empty channel should take what it has room for"));
        let (push, pushed) = channel();
        let (arrive, arrived) = channel();
        let thread = std::thread::Builder::new;
        fallible::room_for_thread().map_err(no_thread)?;
        let fetcher = thread().spawn_scoped(scope, || fetch_all(pushed, arrive)).map_err(no_thread)?;
        let writer = thread().spawn_scoped(scope, || write_all(results, arrived, free)).map_err(no_thread)?;
        let engine = push_all(engine, source, push, slots);
        // A thread that fails stops those before it, whose channels then end: its own error is the one to tell.
        let panicked = "a thread of the engine should not panic";
        let (tally, writing) = (fetcher.join().expect(panicked), writer.join().expect(panicked));
        Ok::<_, VeloxelError>((engine, tally, writing))
    })?;
    let ((results, writing), tally, engine) = (writing?, tally?, engine?);
    let mut end = engine.finish()?;
    let mut account = Account {
        stages: std::mem::take(&mut source.stages),
        warnings: std::mem::take(&mut source.warnings),
        ..Account::default()
    };
    std::mem::take(&mut source.said).finish(&mut account.warnings);
    account.absorb(std::mem::take(&mut end.account));
    account.stages.add("engine", tally.busy_ms());
    account.stages.merge(writing);
    let shown = account.stages.time("write", || results.finish(&mut account.warnings))?;
    Ok(Outcome { end, tally, account, shown })
}

/// Pushes every frame as soon as there is room for its results.
fn push_all<'s>(
    mut engine: Engine<'s>,
    source: &mut Source<'_>,
    push: Sender<EngineFrame>,
    slots: Receiver<()>,
) -> Result<Engine<'s>> {
    let mut has_slot = false;
    loop {
        // No sender any more: what comes later has failed, and says so itself. A frame is taken once there is room for what it
        // brings, so that the newest is new.
        if !has_slot && slots.recv().is_err() {
            break;
        }
        has_slot = true;
        let Some(Views { left, right, .. }) = source.next()? else { break };
        let found = engine.push(left, right)?;
        has_slot = found.is_none();
        if found.is_some_and(|found| push.send(found).is_err()) {
            break;
        }
    }
    // The last frames have no flow.
    while has_slot || slots.recv().is_ok() {
        let Some(found) = engine.drain()? else { break };
        if push.send(found).is_err() {
            break;
        }
        has_slot = false;
    }
    Ok(engine)
}

/// Fetches results in the order of their frames, and takes the times.
fn fetch_all(pushed: Receiver<EngineFrame>, arrive: Sender<EngineFound>) -> Result<EngineTally> {
    let mut tally = EngineTally::default();
    for frame in pushed {
        let found = frame.fetch()?;
        tally.add(&found);
        if arrive.send(found).is_err() {
            break;
        }
    }
    Ok(tally)
}

/// Writes results, and makes room for others.
fn write_all(
    mut results: Results,
    arrived: Receiver<EngineFound>,
    free: SyncSender<()>,
) -> Result<(Results, Stages)> {
    let mut stages = Stages::default();
    for found in arrived {
        stages.time("write", || results.take(found))?;
        // The thread that pushes may have ended.
        let _ = free.send(());
    }
    Ok((results, stages))
}
