//! Frames that are read on a thread of their own, ahead of the run that uses them, until they end or the run is stopped.

use super::input_error::InputError;
use crate::jobs::outputs::planned_files::is_stream;
use crate::{Result, VeloxelError};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use veloxel_core::Control;
use veloxel_gpu::ComputeError;

/// Frames that are read ahead.
const READ_AHEAD: usize = 3;
/// How often waiting for a frame is interrupted to ask whether to go on.
const STOP_HEARD_WITHIN: Duration = Duration::from_millis(50);

/// What a stop means to frames that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtStop {
    /// The end of their stream: what was found until then is a result.
    EndsStream,
    /// A failure: nothing stays.
    Fails,
}

impl AtStop {
    /// A stream on standard input has no whole; of anything else a part would pass for that.
    pub fn of<'a>(sources: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        if sources.into_iter().any(|source| is_stream(source)) { Self::EndsStream } else { Self::Fails }
    }

    /// Whether a failure is the end of a stream; then the run goes on, to write what was found.
    pub fn ends(self, error: &VeloxelError, control: &Control) -> bool {
        let ends = self == Self::EndsStream && matches!(error, VeloxelError::Stopped(_));
        if ends {
            control.resume();
        }
        ends
    }
}

/// What there is to say of a stream that was stopped after so many frames.
pub(crate) fn stopped_after(frames: usize) -> String {
    format!("stopped after {frames} frames: what was found until then is written")
}

/// What a thread reads, in order.
pub(crate) struct ReadAhead<T> {
    frames: Receiver<Result<Option<T>>>,
    reader: JoinHandle<()>,
}

impl<T: Send + 'static> ReadAhead<T> {
    /// Reads with `next` until it gives none or fails.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`] if the system gives no thread.
    pub fn of(mut next: impl FnMut() -> Result<Option<T>> + Send + 'static) -> Result<Self> {
        let (sender, frames) = sync_channel(READ_AHEAD);
        let read = move || {
            loop {
                let frame = next();
                let go_on = matches!(frame, Ok(Some(_)));
                // The receiver is gone once a result could not be written.
                if sender.send(frame).is_err() || !go_on {
                    return;
                }
            }
        };
        let reader = std::thread::Builder::new().spawn(read).map_err(no_thread)?;
        Ok(Self { frames, reader })
    }

    /// The next frame, none at the end.
    ///
    /// # Errors
    /// What reading failed with; [`VeloxelError::Stopped`] once the run is to stop, even if the next frame is not there yet.
    pub fn next(&self, control: &Control) -> Result<Option<T>> {
        loop {
            let came = self.frames.recv_timeout(STOP_HEARD_WITHIN);
            // A signal often stops the program that sends the frames as well, in the middle of a frame.
            if let Err(stopped) = control.check()
                && !matches!(came, Ok(Ok(None)))
            {
                return Err(stopped.into());
            }
            match came {
                Ok(next) => return next,
                // The end of a stream is said; this is the end of the thread that reads it.
                Err(RecvTimeoutError::Disconnected) => return Err(InputError::Reader.into()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Waits for the thread after the last frame. A thread whose stream has not sent its next frame is left alone instead.
    pub fn join(self) {
        self.reader.join().expect("reading frames should not panic");
    }
}

/// A thread that the system did not give.
pub(crate) fn no_thread(error: std::io::Error) -> VeloxelError {
    ComputeError::Threads { threads: 1, reason: error.to_string() }.into()
}
