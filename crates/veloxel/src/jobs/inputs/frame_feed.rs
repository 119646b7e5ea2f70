//! Frames of any source, one after the other, for a program that has its own use of them.

use super::input_error::InputError;
use super::read_ahead::{FramesTaken, ReadAhead, has_no_whole};
use crate::{Result, Session};
use std::path::{Path, PathBuf};
use veloxel_core::{Stage, Volume, Warnings};
use veloxel_io::{FrameStream, ReadOptions, StreamEnd, shown_source};

/// Frames of a source, read ahead on a thread of their own. Dropping it ends the stream, and the process that decodes it.
pub struct FrameFeed {
    frames: ReadAhead<FedFrame>,
    end: Option<StreamEnd>,
    name: PathBuf,
    interval_ms: Option<f64>,
    /// What there is to say of opening the source.
    warnings: Warnings,
}

/// A frame of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct FedFrame {
    /// Its samples.
    pub image: Volume<f32>,
    /// When it was taken, milliseconds, where the source says so of each frame: films and cameras do.
    pub time_ms: Option<f64>,
    /// Milliseconds between frames, as far as is known now.
    pub interval_ms: Option<f64>,
    /// What there is to say of reading it, and was not said before.
    pub warnings: Warnings,
}

impl FrameFeed {
    /// Opens a source: a file with a time axis, a film, a camera, an address, a folder, a pattern, or `-`.
    ///
    /// # Errors
    /// [`InputError::NothingToDrop`] where the newest frames alone are to be taken of frames that do not come by themselves; as
    /// [`FrameStream::open`].
    pub fn open(source: &Path, taken: FramesTaken, reading: ReadOptions, session: &Session) -> Result<Self> {
        if taken == FramesTaken::Newest && !has_no_whole(source) {
            return Err(InputError::NothingToDrop { source_name: source.display().to_string() }.into());
        }
        session.enter(Stage::Read)?;
        let mut warnings = Warnings::new();
        let mut stream = FrameStream::open(source, session.reading(reading), &mut warnings)?;
        let (end, interval_ms) = (stream.end(), stream.frame_interval_ms());
        let frames = ReadAhead::of(taken, move || {
            let mut warnings = Warnings::new();
            let Some(image) = stream.next_frame(&mut warnings)? else { return Ok(None) };
            let (time_ms, interval_ms) = (stream.time_ms(), stream.frame_interval_ms());
            Ok(Some(FedFrame { image, time_ms, interval_ms, warnings }))
        })?;
        Ok(Self { frames, end, name: shown_source(source), interval_ms, warnings })
    }

    /// The next frame; none at the end.
    ///
    /// # Errors
    /// As [`FrameStream::next_frame`]; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped) where the session's observer says so,
    /// even if the next frame is not there yet.
    pub fn next_frame(&mut self, session: &Session) -> Result<Option<FedFrame>> {
        let mut frame = self.frames.next(session.control())?;
        if let Some(frame) = &mut frame {
            let mut warnings = std::mem::take(&mut self.warnings);
            warnings.extend(std::mem::take(&mut frame.warnings));
            frame.warnings = warnings;
            self.interval_ms = frame.interval_ms;
        }
        Ok(frame)
    }

    /// What the source is called in messages.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Milliseconds between frames, as far as is known.
    pub fn interval_ms(&self) -> Option<f64> {
        self.interval_ms
    }

    /// Frames that were dropped for newer ones.
    pub fn dropped(&self) -> usize {
        self.frames.dropped()
    }
}

impl Drop for FrameFeed {
    fn drop(&mut self) {
        self.end.iter().for_each(StreamEnd::end);
    }
}
