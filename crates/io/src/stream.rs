//! Frames one after the other, from wherever they come: one frame is in memory at a time.

use crate::content::Content;
use crate::context::{Context, Strictness};
use crate::format::Format;
use crate::gif_animation::GifReader;
use crate::source::Source;
use crate::y4m::Y4mReader;
use crate::{IoError, frames, glob, read, read_image};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use veloxel_core::{Grid, Volume, Warnings};

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Frames of one size, read when they are asked for.
pub struct FrameStream {
    name: PathBuf,
    frames: Frames,
    grid: Option<Grid>,
    frame_interval_ms: Option<f64>,
    strictness: Strictness,
    /// What was said of earlier frames.
    said: HashSet<String>,
}

enum Frames {
    Files(std::vec::IntoIter<PathBuf>),
    Loaded(std::vec::IntoIter<Volume<f32>>),
    Y4m(Box<Y4mReader<'static>>),
    Gif(Box<GifReader>),
    Ended,
}

impl FrameStream {
    /// Opens a source: `-` (Y4M on standard input), a `.y4m` or `.gif` file, a folder of images or a pattern with `*`
    /// and `?` (both in natural order of names), an image, or a file with a time axis.
    ///
    /// # Errors
    /// [`IoError::Open`], [`IoError::NoFrames`], [`IoError::UnknownExtension`], and what a broken header causes.
    pub fn open(source: &Path, strictness: Strictness, warnings: &mut Warnings) -> Result<Self, IoError> {
        let from_pipe = source == Path::new(STANDARD_INPUT);
        let name = if from_pipe { PathBuf::from("standard input") } else { source.to_owned() };
        let mut frame_interval_ms = None;
        let frames = if from_pipe {
            let pipe = Source::from_stream(std::io::stdin());
            let mut context = Context::new(&name, strictness, warnings);
            Frames::y4m(pipe, (&mut context, &mut frame_interval_ms))?
        } else if source.is_dir() {
            Frames::Files(frames::in_folder(source)?.into_iter())
        } else if glob::is_pattern(source) {
            Frames::Files(glob::matching(source)?.into_iter())
        } else {
            if !source.exists() {
                // Whatever its name ends in, it is the path that is wrong.
                Source::open(source)?;
            }
            let format = Format::require(source, "frames", Format::READ)?;
            let mut context = Context::new(&name, strictness, warnings);
            match format {
                Format::Y4m => Frames::y4m(Source::open(source)?, (&mut context, &mut frame_interval_ms))?,
                Format::Gif => Frames::Gif(Box::new(GifReader::new(Source::open(source)?, &mut context)?)),
                _ => match read(source, strictness, warnings)? {
                    Content::Sequence(sequence) => {
                        frame_interval_ms = sequence.frame_interval_ms();
                        Frames::Loaded(sequence.into_frames().into_iter())
                    }
                    Content::Image(image) => Frames::Loaded(vec![image].into_iter()),
                    other @ Content::Flow(_) => {
                        return Err(IoError::Kind {
                            expected: "frames",
                            got: other.describe(),
                            hint: "give images or a video",
                            path: name,
                        });
                    }
                },
            }
        };
        Ok(Self { name, frames, grid: None, frame_interval_ms, strictness, said: HashSet::new() })
    }

    /// Frames from files, in the order given.
    pub fn of_files(files: Vec<PathBuf>, strictness: Strictness) -> Self {
        Self {
            name: files.first().cloned().unwrap_or_default(),
            frames: Frames::Files(files.into_iter()),
            grid: None,
            frame_interval_ms: None,
            strictness,
            said: HashSet::new(),
        }
    }

    /// What it is called in messages: its path, or `standard input`.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Milliseconds between frames, where the source says so (an animation says it with its first frame).
    pub fn frame_interval_ms(&self) -> Option<f64> {
        self.frame_interval_ms
    }

    /// The next frame, or none after the last. A warning that an earlier frame caused as well is not repeated.
    ///
    /// # Errors
    /// As [`read_image`](crate::read_image); [`IoError::Truncated`] for a stream that ends within a frame;
    /// [`IoError::Core`] if the frame has another size than the first.
    pub fn next_frame(&mut self, warnings: &mut Warnings) -> Result<Option<Volume<f32>>, IoError> {
        let mut own = Warnings::new();
        let mut path = self.name.clone();
        let mut context = Context::new(&self.name, self.strictness, &mut own);
        let frame = match &mut self.frames {
            Frames::Ended => None,
            Frames::Loaded(frames) => frames.next(),
            Frames::Y4m(reader) => reader.next_frame(&mut context)?,
            Frames::Gif(reader) => reader.next_frame(&mut context)?,
            Frames::Files(files) => match files.next() {
                None => None,
                Some(file) => {
                    path = file;
                    Some(read_image(&path, self.strictness, &mut own)?)
                }
            },
        };
        if frame.is_none() {
            let mut context = Context::new(&self.name, self.strictness, &mut own);
            if let Frames::Gif(reader) = std::mem::replace(&mut self.frames, Frames::Ended) {
                reader.finish(&mut context)?;
            }
        } else if let Frames::Gif(reader) = &self.frames {
            self.frame_interval_ms = reader.frame_interval_ms;
        }
        self.pass_on(&own, (&path, warnings));
        if let Some(frame) = &frame {
            let first = self.grid.get_or_insert_with(|| frame.grid().clone());
            let same = first.require_same(frame.grid(), "first frame and this one");
            same.map_err(|source| IoError::Core { path, source })?;
        }
        Ok(frame)
    }

    fn pass_on(&mut self, own: &Warnings, (path, warnings): (&Path, &mut Warnings)) {
        let prefix = format!("{}: ", path.display());
        for warning in own.iter() {
            let message = warning.message.strip_prefix(&prefix).unwrap_or(&warning.message);
            if self.said.insert(message.to_owned()) {
                warnings.push(warning.kind, warning.message.clone());
            }
        }
    }
}

impl Frames {
    fn y4m(
        source: Source<'static>,
        (context, frame_interval_ms): (&mut Context, &mut Option<f64>),
    ) -> Result<Self, IoError> {
        let reader = Y4mReader::new(source, context)?;
        *frame_interval_ms = reader.frame_interval_ms;
        Ok(Self::Y4m(Box::new(reader)))
    }
}
