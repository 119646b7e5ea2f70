//! Frames of a film as they come out of `ffmpeg`, with their times.

use super::complaints::Complaints;
use super::log::LogLine;
use super::process::{FilmProcess, PIXELS, Started};
use super::source::FilmSource;
use crate::error::{IoError, Result};
use crate::formats::y4m;
use crate::read::context::Context;
use crate::read::reading::Strictness;
use crate::read::source::Source;
use crate::read::stream::frame_reader::FrameReader;
use crate::read::stream::stream_end::StreamEnd;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use veloxel_core::{Control, Sequence, Volume, WarningKind};

/// A time that has not come so long after its frame does not come.
const TIME_COMES_WITHIN: Duration = Duration::from_secs(5);
/// The complaints of a process that has ended have come after so long.
const LOG_ENDS_WITHIN: Duration = Duration::from_secs(5);

/// A film that is being decoded.
pub(crate) struct FilmReader {
    process: Arc<FilmProcess>,
    log: Receiver<LogLine>,
    complaints: Arc<Mutex<Complaints>>,
    pictures: Box<dyn FrameReader>,
    times: FrameTimes,
    /// What the log said of the first frame already.
    first: Option<LogLine>,
    size: Option<[usize; 2]>,
    is_live: bool,
}

/// A process whose first frame has come.
struct Opened {
    started: Started,
    bytes: Source<'static>,
    times: FrameTimes,
    first: Option<LogLine>,
}

impl Opened {
    fn open(source: &FilmSource, pixels: &str, context: &Context) -> Result<Self> {
        let control = context.control().clone();
        let mut started = FilmProcess::start(source, pixels, context.path, &control)?;
        let pictures = started.pictures.take().expect("pictures should be taken once");
        let mut bytes = Source::from_stream(pictures, &control);
        if bytes.is_at_end(context)? {
            let Started { process, log, complaints, .. } = &started;
            let none = || IoError::Film {
                said: "not a single frame came".to_owned(),
                path: context.path.to_owned(),
            };
            return Err(Failed { process, complaints, log }.error(context)?.unwrap_or_else(none));
        }
        let mut times = FrameTimes::default();
        let first = loop {
            // All of it comes before the frame itself.
            match started.log.recv_timeout(TIME_COMES_WITHIN) {
                Ok(LogLine::Unit { seconds, interval_ms }) => times.announce(seconds, interval_ms),
                said => break said.ok(),
            }
        };
        Ok(Self { started, bytes, times, first })
    }

    /// The format of pixels to ask for instead: of odd sides and more than 8 bits some versions write fewer bytes of chroma than they
    /// should, where it has fewer samples than luma. The luma is the same.
    fn wider_chroma(&self) -> Option<String> {
        let Some(LogLine::Frame { size, pixels, .. }) = &self.first else { return None };
        let is_odd = size.iter().any(|side| !side.is_multiple_of(2));
        let base = ["yuv420p", "yuv422p"].iter().find_map(|base| pixels.strip_prefix(base))?;
        (is_odd && !base.is_empty()).then(|| format!("yuv444p{base}"))
    }
}

impl FilmReader {
    /// Starts `ffmpeg`, and waits for the size of the first frame.
    ///
    /// # Errors
    /// [`IoError::NoProgram`]; [`IoError::Film`] with what `ffmpeg` says; [`IoError::Stopped`].
    pub fn open(source: &FilmSource, context: &mut Context) -> Result<Self> {
        let mut opened = Opened::open(source, PIXELS, context)?;
        if let Some(wide) = opened.wider_chroma() {
            opened = Opened::open(source, &wide, context)?;
        }
        let Opened { started: Started { process, log, complaints, .. }, bytes, times, first } = opened;
        let pictures = y4m::open(bytes, context)?;
        Ok(Self { process, log, complaints, pictures, times, first, size: None, is_live: source.is_live() })
    }

    /// What the log says of the frame that has come.
    fn take_log(&mut self, context: &mut Context) -> Result<()> {
        loop {
            let said = match self.first.take().map_or_else(|| self.log.recv_timeout(TIME_COMES_WITHIN), Ok) {
                Ok(said) => said,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.times.take(None, context);
                    return Ok(());
                }
            };
            match said {
                LogLine::Unit { seconds, interval_ms } => self.times.announce(seconds, interval_ms),
                LogLine::Frame { time, size, .. } => {
                    let [width, height] = *self.size.get_or_insert(size);
                    let got = format!("{} × {}", size[0], size[1]);
                    let nth = self.times.count;
                    let expected = format!("{width} × {height}, as the frames before");
                    context.require([width, height] == size, format!("frame {nth}"), expected, got)?;
                    self.times.take(time, context);
                    return Ok(());
                }
                LogLine::Complaint(_) => {}
            }
        }
    }

    /// How the process ended, once its last picture has come.
    fn ended(&self, context: &mut Context) -> Result<()> {
        let failed = Failed { process: &self.process, complaints: &self.complaints, log: &self.log };
        match failed.error(context)? {
            // Whoever sends may leave.
            Some(_) if self.is_live && self.times.count > 0 => {
                let line = failed.said(context.path);
                context.note(WarningKind::Content, format!("the stream ended: {line}"));
                Ok(())
            }
            Some(error) => Err(error),
            None => self.tell(context),
        }
    }

    /// Tells what `ffmpeg` complained of without ending.
    fn tell(&self, context: &mut Context) -> Result<()> {
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        if complaints.is_empty() {
            return Ok(());
        }
        let line = complaints.line(context.path);
        if complaints.tell_of_a_cut() && !self.is_live || is_strict(context) {
            return Err(IoError::Film { said: line, path: context.path.to_owned() });
        }
        context.note(WarningKind::Content, format!("ffmpeg says: {line}"));
        Ok(())
    }
}

fn is_strict(context: &Context) -> bool {
    context.reading.options.strictness == Strictness::Strict
}

impl FrameReader for FilmReader {
    fn next_frame(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>> {
        let frame = match self.pictures.next_frame(context) {
            Ok(frame) => frame,
            // A stream that was ended stops within a frame.
            Err(_) if self.process.was_ended() && !context.control().is_stopped() => None,
            // The process has ended within a frame, and may say why.
            Err(error @ IoError::Truncated { .. }) => {
                self.ended(context)?;
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        let Some(frame) = frame else {
            if !self.process.was_ended() {
                self.ended(context)?;
            }
            return Ok(None);
        };
        self.take_log(context)?;
        Ok(Some(frame))
    }

    fn frame_interval_ms(&self) -> Option<f64> {
        self.times.interval_ms()
    }

    fn time_ms(&self) -> Option<f64> {
        self.times.last_ms
    }

    fn sample_type(&self) -> String {
        self.pictures.sample_type().replacen("Y4M ", "ffmpeg ", 1)
    }

    fn end(&self) -> Option<StreamEnd> {
        Some(StreamEnd::of_film(&self.process))
    }

    fn finish(self: Box<Self>, context: &mut Context) -> Result<()> {
        let is_any = self.times.count > 0;
        context.require(is_any, "film", "at least one frame", "none")
    }
}

/// A process that sends no more.
struct Failed<'a> {
    process: &'a FilmProcess,
    complaints: &'a Mutex<Complaints>,
    log: &'a Receiver<LogLine>,
}

impl Failed<'_> {
    /// Why it ended, if it should not have.
    fn error(&self, context: &Context) -> Result<Option<IoError>> {
        let control: &Control = context.control();
        let is_content = self.process.wait(context.path, control)?;
        // The log ends with the process; its last lines are waited for.
        while self.log.recv_timeout(LOG_ENDS_WITHIN).is_ok() {}
        control.check()?;
        let said = || IoError::Film { said: self.said(context.path), path: context.path.to_owned() };
        Ok((!is_content).then(said))
    }

    fn said(&self, path: &Path) -> String {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).line(path)
    }
}

/// The times of frames, milliseconds.
#[derive(Debug, Default)]
struct FrameTimes {
    /// Seconds of a tick.
    unit_s: f64,
    announced_ms: Option<f64>,
    first_ms: Option<f64>,
    last_ms: Option<f64>,
    /// Frames so far.
    count: usize,
    /// Whether a frame did not come when an even rate would have it.
    is_uneven: bool,
}

impl FrameTimes {
    fn announce(&mut self, unit_s: f64, interval_ms: Option<f64>) {
        self.unit_s = unit_s;
        self.announced_ms = self.announced_ms.or(interval_ms);
    }

    /// Takes the time of the next frame; the first that is not where an even rate would have it is told.
    fn take(&mut self, ticks: Option<i64>, context: &mut Context) {
        self.last_ms = ticks.map(|ticks| ticks as f64 * self.unit_s * 1e3);
        if let (Some(first), Some(last)) = (self.first_ms, self.last_ms) {
            let interval = *self.announced_ms.get_or_insert((last - first) / self.count as f64);
            let expected = first + self.count as f64 * interval;
            if !self.is_uneven && (last - expected).abs() > 0.5 * interval {
                self.is_uneven = true;
                let message = format!(
                    "its frames are not evenly spaced in time (frame {} comes at {last:.0} ms, not at {expected:.0} ms): \
                     the time between them counts as unknown",
                    self.count
                );
                context.note(WarningKind::Header, message);
            }
        }
        self.first_ms = self.first_ms.or(self.last_ms);
        self.count += 1;
    }

    fn interval_ms(&self) -> Option<f64> {
        let even = self.announced_ms.filter(|_| !self.is_uneven);
        even.filter(|interval_ms| Sequence::INTERVALS_MS.contains(interval_ms))
    }
}
