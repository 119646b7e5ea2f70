//! Frames that are read on a thread of their own, ahead of the run that uses them, until they end or the run is stopped.

use super::input_error::InputError;
use crate::jobs::outputs::planned_files::is_stream;
use crate::{Result, VeloxelError};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use veloxel_core::{Control, fallible};
use veloxel_gpu::ComputeError;
use veloxel_io::{is_live, named_file};

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
    /// A stream on standard input, a camera and an address have no whole; of anything else a part would pass for that.
    pub fn of<'a>(sources: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        if sources.into_iter().any(|source| has_no_whole(source)) { Self::EndsStream } else { Self::Fails }
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

/// Whether a source is one of frames that come until the user ends them: standard input (`-`), a camera (`/dev/video0`), an address
/// (`rtsp://…`).
pub fn has_no_whole(source: &Path) -> bool {
    is_stream(source) || is_live(&named_file(source))
}

/// Which frames are taken where they come faster than they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FramesTaken {
    /// All of them, in order; the sender waits.
    #[default]
    All,
    /// The newest; those before it are dropped, and counted.
    Newest,
}

impl FramesTaken {
    /// How many frames wait at most.
    fn most_waiting(self) -> usize {
        match self {
            Self::All => READ_AHEAD,
            Self::Newest => 1,
        }
    }
}

/// What a thread reads, in order.
pub(crate) struct ReadAhead<T> {
    waiting: Arc<Waiting<T>>,
    reader: Option<JoinHandle<()>>,
}

/// Frames between the thread that reads them and the run.
struct Waiting<T> {
    taken: FramesTaken,
    state: Mutex<WaitingState<T>>,
    changed: Condvar,
}

struct WaitingState<T> {
    frames: VecDeque<T>,
    /// How the stream ended: well, or with an error, which is given out once.
    end: Option<Result<()>>,
    has_ended: bool,
    /// Whether frames are not taken any more.
    is_left: bool,
    dropped: usize,
}

impl<T> Waiting<T> {
    fn lock(&self) -> MutexGuard<'_, WaitingState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a frame once there is room; false where it is not taken any more.
    fn add(&self, frame: T) -> bool {
        let mut state = self.lock();
        while !state.is_left && state.frames.len() >= self.taken.most_waiting() {
            if self.taken == FramesTaken::Newest {
                state.frames.clear();
                state.dropped += 1;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        let is_wanted = !state.is_left;
        if is_wanted {
            state.frames.push_back(frame);
        }
        self.changed.notify_all();
        is_wanted
    }

    fn end(&self, end: Result<()>) {
        let mut state = self.lock();
        (state.end, state.has_ended) = (Some(end), true);
        self.changed.notify_all();
    }
}

/// Tells of the end of the thread that reads, however it ends.
struct Reading<T>(Arc<Waiting<T>>);

impl<T> Drop for Reading<T> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.changed.notify_all();
    }
}

impl<T: Send + 'static> ReadAhead<T> {
    /// Reads with `next` until it gives none or fails.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`] if the system gives no thread.
    pub fn of(
        taken: FramesTaken,
        mut next: impl FnMut() -> Result<Option<T>> + Send + 'static,
    ) -> Result<Self> {
        let (frames, end) = (VecDeque::new(), None);
        let state = WaitingState { frames, end, has_ended: false, is_left: false, dropped: 0 };
        let waiting = Arc::new(Waiting { taken, state: Mutex::new(state), changed: Condvar::new() });
        let reading = Reading(waiting.clone());
        let read = move || {
            loop {
                match next() {
                    Ok(Some(frame)) => {
                        // Nobody takes frames once a result could not be written.
                        if !reading.0.add(frame) {
                            return;
                        }
                    }
                    Ok(None) => return reading.0.end(Ok(())),
                    Err(error) => return reading.0.end(Err(error)),
                }
            }
        };
        fallible::room_for_thread().map_err(no_thread)?;
        let reader = Some(std::thread::Builder::new().spawn(read).map_err(no_thread)?);
        Ok(Self { waiting, reader })
    }

    /// The next frame, none at the end.
    ///
    /// # Errors
    /// What reading failed with; [`VeloxelError::Stopped`] once the run is to stop, even if the next frame is not there yet.
    pub fn next(&self, control: &Control) -> Result<Option<T>> {
        let mut state = self.waiting.lock();
        loop {
            let has_come = !state.frames.is_empty() || state.has_ended;
            if !has_come {
                let waited = self.waiting.changed.wait_timeout(state, STOP_HEARD_WITHIN);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            let is_end = state.frames.is_empty() && matches!(state.end, Some(Ok(())));
            // A signal often stops the program that sends the frames as well, in the middle of a frame.
            if let Err(stopped) = control.check()
                && !is_end
            {
                return Err(stopped.into());
            }
            if let Some(frame) = state.frames.pop_front() {
                self.waiting.changed.notify_all();
                return Ok(Some(frame));
            }
            match state.end.take() {
                Some(Err(error)) => return Err(error),
                Some(Ok(())) => {
                    state.end = Some(Ok(()));
                    return Ok(None);
                }
                // The end of a stream is said; this is the end of the thread that reads it.
                None if state.has_ended => return Err(InputError::Reader.into()),
                None => {}
            }
        }
    }

    /// How many frames were dropped for newer ones.
    pub fn dropped(&self) -> usize {
        self.waiting.lock().dropped
    }

    /// Waits for the thread after the last frame. A thread whose stream has not sent its next frame is left alone instead.
    pub fn join(mut self) {
        let reader = self.reader.take().expect("a thread should be joined once");
        reader.join().expect("reading frames should not panic");
    }
}

impl<T> Drop for ReadAhead<T> {
    fn drop(&mut self) {
        let mut state = self.waiting.lock();
        (state.is_left, state.frames) = (true, VecDeque::new());
        self.waiting.changed.notify_all();
    }
}

/// A thread that the system did not give.
pub(crate) fn no_thread(error: std::io::Error) -> VeloxelError {
    ComputeError::Threads { threads: 1, reason: error.to_string() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn all_frames_come_in_order_and_then_the_end() {
        let mut frames = (0..50).map(Some).chain([None]);
        let read = ReadAhead::of(FramesTaken::All, move || Ok(frames.next().flatten())).unwrap();
        let control = Control::default();
        let all: Vec<i32> = std::iter::from_fn(|| read.next(&control).unwrap()).collect();
        assert!(all.iter().copied().eq(0..50));
        assert_eq!((read.next(&control).unwrap(), read.dropped()), (None, 0));
        read.join();
    }

    #[test]
    fn the_newest_frame_wins_and_the_others_are_counted() {
        let (send, sent) = channel::<Option<i32>>();
        let (tell, took) = channel();
        let read = ReadAhead::of(FramesTaken::Newest, move || {
            tell.send(()).expect("the test should wait for it");
            Ok(sent.recv().expect("the test should send"))
        })
        .unwrap();
        let control = Control::default();
        took.recv().unwrap();
        for frame in 0..5 {
            send.send(Some(frame)).unwrap();
            // The next is asked for once this one waits to be taken.
            took.recv().unwrap();
        }
        assert_eq!((read.next(&control).unwrap(), read.dropped()), (Some(4), 4));
        send.send(Some(5)).unwrap();
        took.recv().unwrap();
        send.send(None).unwrap();
        // The last frame is not dropped for the end.
        assert_eq!(read.next(&control).unwrap(), Some(5));
        assert_eq!((read.next(&control).unwrap(), read.dropped()), (None, 4));
    }

    #[test]
    fn an_error_comes_behind_the_frames_before_it() {
        let mut count = 0;
        let read = ReadAhead::of(FramesTaken::Newest, move || {
            count += 1;
            if count == 1 { Ok(Some(7)) } else { Err(InputError::OneInput.into()) }
        })
        .unwrap();
        let control = Control::default();
        assert_eq!(read.next(&control).unwrap(), Some(7));
        assert!(read.next(&control).is_err());
    }
}
