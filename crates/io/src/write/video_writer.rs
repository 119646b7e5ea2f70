//! Videos written frame by frame: to a file (all of it or nothing) or, as Y4M, into a pipe.

use crate::error::{IoError, Result};
use crate::formats::lookup::require;
use crate::formats::y4m;
use crate::write::check_folder;
use crate::write::target::Target;
use crate::write::video::{VideoEncoder, VideoShape};
use std::path::Path;

/// The name that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// A video that is being written; dropped before [`finish`](Self::finish), it leaves no file.
pub struct VideoWriter {
    target: Target,
    shape: VideoShape,
    encoder: Box<dyn VideoEncoder>,
}

/// Checks, before any work is done for it, that a video could be written there: a known extension and a folder that
/// exists, or `-`.
///
/// # Errors
/// [`IoError::UnknownExtension`], or [`IoError::NoFolder`] for the missing folder.
pub fn check_video_output(path: &Path) -> Result<()> {
    if path == Path::new(STANDARD_OUTPUT) {
        return Ok(());
    }
    require(path, "writing a video", |format| format.write_video)?;
    check_folder(path)
}

impl VideoWriter {
    /// Begins a video: `.y4m`, `.gif`, or `-` for Y4M on standard output.
    ///
    /// # Errors
    /// [`IoError::UnknownExtension`]; [`IoError::Unsupported`] for a GIF above 65535 pixels a side;
    /// [`IoError::Write`].
    pub fn create(target: impl Into<Target>, shape: VideoShape) -> Result<Self> {
        let target = target.into();
        let path = target.path();
        let encoder = if path == Path::new(STANDARD_OUTPUT) {
            y4m::write_to_pipe(shape).map_err(IoError::write(path))?
        } else {
            let (format, write) = require(path, "writing a video", |format| format.write_video)?;
            format.check_side(path, shape.width.max(shape.height))?;
            write(&target, shape)?
        };
        Ok(Self { target, shape, encoder })
    }

    /// Adds a frame: rows from the top, one byte a pixel (grey) or three (red, green, blue).
    ///
    /// # Errors
    /// [`IoError::Malformed`] if the samples have another length; [`IoError::Write`].
    pub fn push(&mut self, samples: &[u8]) -> Result<()> {
        let VideoShape { width, height, colour, .. } = self.shape;
        let channels = colour.channels();
        if samples.len() != width * height * channels {
            let expected = format!("{channels} · {width} · {height} bytes");
            return Err(IoError::malformed(self.target.path(), "video frame", expected, samples.len()));
        }
        self.target.check()?;
        self.encoder.push(samples).map_err(self.target.fail())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`IoError::Write`]; nothing is left behind then.
    pub fn finish(self) -> Result<()> {
        self.encoder.finish()
    }
}
