//! A stream of frames in, flow, disparity and features of every frame out, as fast as they come.

use super::engine_frames::{NextFrame, Streams};
use super::engine_job::{EngineJob, EngineRun};
use super::engine_run::{Run, no_thread};
use super::name;
use crate::Result;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;
use veloxel_core::WarningKind;
use veloxel_core::parameters::Parameters;
use veloxel_io::FrameStream;
use veloxel_report::{EngineReport, LatencyReport, engine_html};

/// Frames that are read ahead of the engine.
const READ_AHEAD: usize = 3;

/// Runs the engine over a stream and writes what was asked for: a folder of fields and a video appear whole or not at all.
///
/// Once `stop` is set, from another thread, the stream is taken to end there, even if its next frame is not there yet: what was found
/// until then is written, and a warning says so.
///
/// # Errors
/// [`VeloxelError::Frames`](crate::VeloxelError::Frames) for too few frames, or one stream longer than the other; anything else that is wrong with
/// frames, parameters or the device, as one line.
pub fn engine(job: &EngineJob, stop: &AtomicBool) -> Result<EngineRun> {
    let options = &job.options;
    let mut plan = job.plan()?;
    let (device, mut log) = options.device.start()?;
    let mut open = |path: &Path| FrameStream::open(path, options.reading, &mut log.warnings);
    let left = open(&job.source)?;
    let right = job.right.as_deref().map(&mut open).transpose()?;
    let interval_ms = left.frame_interval_ms();
    let start = Instant::now();

    let (reader, pairs) = read_ahead(Streams { left, right, count: 0 })?;
    let run = Run::over(pairs, stop, job, &mut plan, &device, interval_ms, &mut log)?;
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

/// Reads frames on a thread of its own, which is not joined when a stream that is stopped has not sent its next frame.
fn read_ahead(mut streams: Streams) -> Result<(JoinHandle<()>, Receiver<NextFrame>)> {
    let (sender, pairs) = sync_channel(READ_AHEAD);
    let read = move || {
        loop {
            let pair = streams.next();
            let go_on = matches!(pair, Ok(Some(_)));
            // The receiver is gone once a result could not be written.
            if sender.send(pair).is_err() || !go_on {
                return;
            }
        }
    };
    Ok((std::thread::Builder::new().spawn(read).map_err(no_thread)?, pairs))
}
