//! Videos written frame by frame: Y4M or animated GIF, to a file (all of it or nothing) or, as Y4M, into a pipe.

use crate::IoError;
use crate::atomic::AtomicFile;
use crate::format::Format;
use crate::y4m_write::Y4mWriter;
use std::io::{BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

/// Frames in so many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameRate {
    /// Frames; above 0.
    pub frames: u32,
    /// Seconds; above 0.
    pub seconds: u32,
}

impl FrameRate {
    /// The rate of frames that lie so many milliseconds apart; 25 a second where that is unknown.
    pub fn from_interval_ms(interval_ms: Option<f64>) -> Self {
        match interval_ms {
            // Standard rates are multiples of 1/1001 s.
            Some(ms) if ms.is_finite() && ms > 0.0 => {
                let whole = (1e3 / ms).round();
                if whole >= 1.0 && (1e3 / ms - whole).abs() < 1e-6 {
                    Self { frames: whole as u32, seconds: 1 }
                } else {
                    Self { frames: ((1001e3 / ms).round() as u32).max(1), seconds: 1001 }
                }
            }
            _ => Self { frames: 25, seconds: 1 },
        }
    }
}

/// What the samples of a frame are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VideoColour {
    /// One byte a pixel.
    Grey,
    /// Red, green, blue; in Y4M as 4:4:4.
    Full,
    /// Red, green, blue; in Y4M as 4:2:0, with one colour for 2 × 2 pixels.
    Half,
}

/// What all frames of a video have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VideoShape {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// What the samples are.
    pub colour: VideoColour,
    /// How fast it is played.
    pub rate: FrameRate,
}

/// A video that is being written; dropped before [`finish`](Self::finish), it leaves no file.
pub struct VideoWriter {
    path: PathBuf,
    shape: VideoShape,
    sink: Sink,
}

enum Sink {
    Y4m(Y4mWriter<AtomicFile>),
    Pipe(Y4mWriter<BufWriter<Stdout>>),
    Gif { encoder: Box<gif::Encoder<AtomicFile>>, delay: u16 },
}

/// Checks, before any work is done for it, that a video could be written there: a known extension and a folder that
/// exists, or `-`.
///
/// # Errors
/// [`IoError::UnknownExtension`], or [`IoError::Open`] for the missing folder.
pub fn check_video_output(path: &Path) -> Result<(), IoError> {
    if path == Path::new("-") {
        return Ok(());
    }
    Format::require(path, "writing a video", Format::VIDEO)?;
    crate::write::check_folder(path)
}

/// Of 1 (best) to 30: as fast as colours of few hues allow.
const GIF_SPEED: i32 = 10;

impl VideoWriter {
    /// Begins a video: `.y4m`, `.gif`, or `-` for Y4M on standard output.
    ///
    /// # Errors
    /// [`IoError::UnknownExtension`]; [`IoError::Unsupported`] for a GIF above 65535 pixels a side;
    /// [`IoError::Write`].
    pub fn create(path: &Path, shape: VideoShape) -> Result<Self, IoError> {
        let fail = |source| IoError::Write { path: path.to_owned(), source };
        let size = [shape.width, shape.height];
        let sink = if path == Path::new("-") {
            let out = BufWriter::with_capacity(1 << 18, std::io::stdout());
            Sink::Pipe(Y4mWriter::new(out, size, shape.colour, shape.rate).map_err(fail)?)
        } else if Format::require(path, "writing a video", Format::VIDEO)? == Format::Gif {
            let (Ok(width), Ok(height)) = (u16::try_from(shape.width), u16::try_from(shape.height)) else {
                return Err(IoError::Unsupported {
                    what: format!("a GIF of {} × {}", shape.width, shape.height),
                    hint: "write .y4m",
                    path: path.to_owned(),
                });
            };
            let mut encoder = gif::Encoder::new(AtomicFile::create(path)?, width, height, &[])
                .map_err(|e| fail(into_io(e)))?;
            encoder.set_repeat(gif::Repeat::Infinite).map_err(|e| fail(into_io(e)))?;
            // Hundredths of a second; below two, players take their own pace.
            let delay = 100.0 * f64::from(shape.rate.seconds) / f64::from(shape.rate.frames.max(1));
            Sink::Gif { encoder: Box::new(encoder), delay: delay.round().clamp(2.0, 65535.0) as u16 }
        } else {
            let file = AtomicFile::create(path)?;
            Sink::Y4m(Y4mWriter::new(file, size, shape.colour, shape.rate).map_err(fail)?)
        };
        Ok(Self { path: path.to_owned(), shape, sink })
    }

    /// Adds a frame: rows from the top, one byte a pixel (grey) or three (red, green, blue).
    ///
    /// # Errors
    /// [`IoError::Malformed`] if the samples have another length; [`IoError::Write`].
    pub fn push(&mut self, samples: &[u8]) -> Result<(), IoError> {
        let VideoShape { width, height, colour, .. } = self.shape;
        let channels = if colour == VideoColour::Grey { 1 } else { 3 };
        if samples.len() != width * height * channels {
            return Err(IoError::Malformed {
                what: "video frame".to_owned(),
                expected: format!("{channels} · {width} · {height} bytes"),
                got: samples.len().to_string(),
                path: self.path.clone(),
            });
        }
        let written = match &mut self.sink {
            Sink::Y4m(writer) => writer.push(samples),
            // Whoever watches wants to see a frame when it is there.
            Sink::Pipe(writer) => writer.push(samples).and_then(|()| writer.flush()),
            Sink::Gif { encoder, delay } => {
                let mut frame = gif_frame([width as u16, height as u16], colour, samples);
                frame.delay = *delay;
                encoder.write_frame(&frame).map_err(into_io)
            }
        };
        written.map_err(|source| IoError::Write { path: self.path.clone(), source })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`IoError::Write`]; nothing is left behind then.
    pub fn finish(self) -> Result<(), IoError> {
        let path = self.path;
        let fail = |source| IoError::Write { path: path.clone(), source };
        match self.sink {
            Sink::Y4m(writer) => writer.into_inner().commit(),
            Sink::Pipe(writer) => writer.into_inner().flush().map_err(fail),
            Sink::Gif { encoder, .. } => encoder.into_inner().map_err(|e| fail(into_io(e)))?.commit(),
        }
    }
}

fn gif_frame([width, height]: [u16; 2], colour: VideoColour, samples: &[u8]) -> gif::Frame<'static> {
    match colour {
        VideoColour::Grey => {
            let palette: Vec<u8> = (0..=255u8).flat_map(|v| [v; 3]).collect();
            gif::Frame::from_palette_pixels(width, height, samples, palette, None)
        }
        VideoColour::Full | VideoColour::Half => {
            gif::Frame::from_rgb_speed(width, height, samples, GIF_SPEED)
        }
    }
}

fn into_io(error: gif::EncodingError) -> std::io::Error {
    match error {
        gif::EncodingError::Io(error) => error,
        other => std::io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_intervals() {
        let rate = |ms| FrameRate::from_interval_ms(ms);
        assert_eq!(rate(Some(40.0)), FrameRate { frames: 25, seconds: 1 });
        assert_eq!(rate(Some(1001.0 / 30.0)), FrameRate { frames: 30000, seconds: 1001 });
        assert_eq!(rate(Some(2500.0)), FrameRate { frames: 400, seconds: 1001 });
        assert_eq!(rate(None), FrameRate { frames: 25, seconds: 1 });
    }
}
