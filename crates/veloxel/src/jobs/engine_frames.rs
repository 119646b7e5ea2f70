//! Frames of a stream, as they are read ahead of the engine on a thread of their own, until the stream ends or is stopped.

use super::{Account, Result, VeloxelError};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use veloxel_core::{Control, Volume, Warnings};
use veloxel_gpu::ComputeError;
use veloxel_io::FrameStream;
use veloxel_motion::PhaseImage;

/// Frames that are read ahead of the engine.
const READ_AHEAD: usize = 3;
/// How often waiting for a frame is interrupted to ask whether to go on.
const STOP_HEARD_WITHIN: Duration = Duration::from_millis(50);

/// What a stop means to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtStop {
    /// Its end: what was found until then is a result.
    EndsStream,
    /// A failure: nothing stays.
    Fails,
}

/// A frame as it was read, ready to be uploaded.
pub(super) struct Read {
    pub image: Volume<f32>,
    /// The same in 8 bits, where they hold it.
    bytes: Option<Vec<u8>>,
}

impl Read {
    fn of(image: Volume<f32>, name: &Path, number: usize) -> Result<Self> {
        image.require_finite(&format!("{}, frame {number}", name.display()), |_| false)?;
        let whole = image.data().iter().all(|v| v.fract() == 0.0 && (0.0..=255.0).contains(v));
        let bytes = whole.then(|| image.data().iter().map(|&v| v as u8).collect());
        Ok(Self { image, bytes })
    }

    pub fn as_phase_image(&self) -> PhaseImage<'_> {
        match &self.bytes {
            Some(bytes) => PhaseImage::Bytes(bytes),
            None => PhaseImage::Samples(self.image.data()),
        }
    }
}

/// A frame, and the one of the right camera if there is one.
pub(super) struct Views {
    pub left: Read,
    pub right: Option<Read>,
    /// Of reading both.
    pub warnings: Warnings,
}

/// Left frames, and right ones that must be as many.
pub(super) struct Streams {
    pub left: FrameStream,
    pub right: Option<FrameStream>,
    /// Frames so far.
    pub count: usize,
}

/// A frame of a stream, none at its end, or what is wrong with it.
pub(super) type NextFrame = Result<Option<Views>>;

impl Streams {
    pub fn next(&mut self) -> NextFrame {
        let mut warnings = Warnings::new();
        let left = self.left.next_frame(&mut warnings)?;
        let right = self.right.as_mut().map(|right| right.next_frame(&mut warnings)).transpose()?;
        let left_name = self.left.name();
        let right_name = self.right.as_ref().map_or(left_name, FrameStream::name);
        let (left, right) = match (left, right) {
            (None, None | Some(None)) => return Ok(None),
            (Some(left), None) => (left, None),
            (Some(left), Some(Some(right))) => {
                left.grid().require_same(right.grid(), "left and right frame")?;
                (left, Some(Read::of(right, right_name, self.count)?))
            }
            (left, _) => {
                let (longer, shorter) =
                    if left.is_some() { (left_name, right_name) } else { (right_name, left_name) };
                return Err(frames!(
                    "{} ends after {} frames, but {} goes on: left and right must be as long",
                    shorter.display(),
                    self.count,
                    longer.display()
                ));
            }
        };
        let left = Read::of(left, left_name, self.count)?;
        self.count += 1;
        Ok(Some(Views { left, right, warnings }))
    }
}

/// Reads frames on a thread of its own, which is not joined when a stream that is stopped has not sent its next frame.
pub(super) fn read_ahead(mut streams: Streams) -> Result<(JoinHandle<()>, Receiver<NextFrame>)> {
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

/// A thread that the system did not give.
pub(super) fn no_thread(error: std::io::Error) -> VeloxelError {
    ComputeError::Threads { threads: 1, reason: error.to_string() }.into()
}

/// Frames as they come, until the stream ends or is stopped.
pub(super) struct Source<'a> {
    pub pairs: Receiver<NextFrame>,
    pub control: &'a Control,
    pub at_stop: AtStop,
    pub is_stopped: bool,
    pub log: &'a mut Account,
}

impl Source<'_> {
    pub fn next(&mut self) -> Result<Option<Views>> {
        let begin = Instant::now();
        let frame = self.wait();
        self.log.stages.add("read", begin.elapsed().as_secs_f64() * 1e3);
        let mut views = frame?;
        if let Some(views) = &mut views {
            self.log.warnings.extend(std::mem::take(&mut views.warnings));
        }
        Ok(views)
    }

    fn wait(&mut self) -> NextFrame {
        loop {
            let came = self.pairs.recv_timeout(STOP_HEARD_WITHIN);
            // A signal often stops the program that sends the frames as well, in the middle of a frame.
            if let Err(stopped) = self.control.check()
                && !matches!(came, Ok(Ok(None)))
            {
                if self.at_stop == AtStop::Fails {
                    return Err(stopped.into());
                }
                self.control.resume();
                self.is_stopped = true;
                return Ok(None);
            }
            match came {
                Ok(frame) => return frame,
                // The end of a stream is said; this is the end of the thread that reads it.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(frames!(
                        "reading the frames stopped without a word: this is a fault of the reader"
                    ));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
