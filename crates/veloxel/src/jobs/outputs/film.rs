//! Films of streams: a video, or a folder of pictures.

use super::planned_files::is_stream;
use crate::Result;
use std::io::ErrorKind;
use veloxel_core::{WarningKind, Warnings};
use veloxel_io::{self as io, FrameRate, IoError, Target, VideoColour, VideoShape, VideoWriter};
use veloxel_report::MapPicture;

/// A video, or a folder of pictures.
pub(crate) struct Film {
    target: Target,
    interval_ms: Option<f64>,
    /// A video begins with its first frame, when the size of the picture is known.
    video: Option<VideoWriter>,
    /// Pictures so far.
    count: usize,
    audience: Audience,
}

/// Whether anybody takes the pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// A file, a folder, or a reader at the other end of the pipe.
    Watches,
    /// The reader of a pipe has closed it: it has seen enough, and further pictures go nowhere.
    Left,
}

impl Film {
    pub fn new(target: Target, interval_ms: Option<f64>) -> Self {
        Self { target, interval_ms, video: None, count: 0, audience: Audience::Watches }
    }

    /// Whether pictures are still to be made.
    pub fn audience(&self) -> Audience {
        self.audience
    }

    /// Adds the picture of a frame.
    pub fn push(&mut self, number: u64, picture: &MapPicture) -> Result<()> {
        let pushed = match self.audience {
            Audience::Watches => self.write(number, picture),
            Audience::Left => return Ok(()),
        };
        self.count += usize::from(pushed.is_ok());
        self.unless_closed(pushed)
    }

    fn write(&mut self, number: u64, picture: &MapPicture) -> Result<(), IoError> {
        let &MapPicture { width, height, ref rgb } = picture;
        if self.target.place().is_dir() {
            let picture = self.target.join(format!("frame_{number:06}.png"));
            return io::write_rgb_png(picture, width, height, rgb);
        }
        let video = match self.video.take() {
            Some(video) => video,
            None => {
                let rate = FrameRate::from_interval_ms(self.interval_ms);
                let shape = VideoShape { width, height, colour: VideoColour::Full, rate };
                VideoWriter::create(&self.target, shape)?
            }
        };
        self.video.insert(video).push(rgb)
    }

    /// Takes a pipe that its reader has closed for the end of the film.
    fn unless_closed(&mut self, written: Result<(), IoError>) -> Result<()> {
        match written {
            Err(IoError::Write { source, .. })
                if source.kind() == ErrorKind::BrokenPipe && is_stream(self.target.path()) =>
            {
                self.audience = Audience::Left;
                Ok(())
            }
            written => Ok(written?),
        }
    }

    /// Ends the video; says so if its reader left before.
    pub fn finish(mut self, warnings: &mut Warnings) -> Result<()> {
        if let Some(video) = self.video.take().filter(|_| self.audience == Audience::Watches) {
            let finished = video.finish();
            self.unless_closed(finished)?;
        }
        if self.audience == Audience::Left {
            let message = format!(
                "the reader of the video on standard output left after {} frames: the other outputs go on without it",
                self.count
            );
            warnings.push(WarningKind::Content, message);
        }
        Ok(())
    }
}
