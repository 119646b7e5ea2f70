//! Frames one after the other, from wherever they come: one frame is in memory at a time.

pub(crate) mod chosen;
pub(crate) mod frame_reader;
pub(crate) mod stream_end;

use crate::content::Content;
use crate::error::{IoError, Result, STANDARD_INPUT_NAME};
use crate::film::{FilmReader, FilmSource, is_live, shown_source};
use crate::format::{Format, Reader};
use crate::formats::lookup::{has_grid, require_to_read};
use crate::formats::{raw_frames, y4m};
use crate::read::budget::Claim;
use crate::read::context::Context;
use crate::read::input::Input;
use crate::read::inspect::inspect;
use crate::read::reading::Reading;
use crate::read::source::Source;
use crate::read::stream::chosen::ChosenFrames;
use crate::read::stream::stream_end::StreamEnd;
use crate::read::watch::{FolderWatch, WatchedFolder};
use crate::read::{read, read_image};
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
    /// When the last frame was taken, where the source says so of each.
    time_ms: Option<f64>,
    /// Ends a wait for the next frame, where it may be long.
    end: Option<StreamEnd>,
    reading: Reading,
    /// What the source holds in memory beside its frames.
    _held: Claim,
    /// What was said of earlier frames.
    said: HashSet<String>,
}

enum Frames {
    Files(std::vec::IntoIter<PathBuf>),
    Loaded(std::vec::IntoIter<Volume<f32>>),
    Reader(ChosenFrames<'static>),
    Watched(Box<WatchedFolder>),
    Ended,
}

/// What is known of a stream before its frames are read.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamShape {
    /// Where the voxels of its first frame lie.
    pub grid: Grid,
    /// How many frames it has; none where only reading them would tell.
    pub frames: Option<usize>,
}

impl FrameStream {
    /// Looks at a source without reading its frames: at the first file of a folder or a pattern, at the first frame of a video, at the
    /// header of a file with a time axis.
    ///
    /// # Errors
    /// As [`Self::open`]; [`IoError::Unsupported`] for standard input, a camera and an address, of which nothing
    /// is known before they are read.
    pub fn shape(source: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<StreamShape> {
        let reading = reading.into();
        if source == Path::new(STANDARD_INPUT) || is_live(&Input::of(source).path) {
            let is_input = source == Path::new(STANDARD_INPUT);
            let name = if is_input { STANDARD_INPUT_NAME.into() } else { shown_source(source) };
            return Err(IoError::unsupported(
                &name,
                "a look at frames before they come",
                "name a file or a folder",
            ));
        }
        let input = Input::of(source);
        if let Some(files) = input.files(&reading)? {
            let grid = inspect(&files[0], reading)?.grid().map_err(IoError::core(&files[0]))?;
            return Ok(StreamShape { grid, frames: Some(files.len()) });
        }
        let is_video = |format: &Format| matches!(format.reader, Reader::Frames(_));
        if !input.path.is_dir() && Format::from_path(&input.path).is_some_and(is_video) {
            let mut stream = Self::open(source, reading, warnings)?;
            let nothing = || IoError::kind(source, "frames", "none", "give at least one");
            let frame = stream.next_frame(warnings)?.ok_or_else(nothing)?;
            return Ok(StreamShape { grid: frame.grid().clone(), frames: None });
        }
        let info = inspect(source, reading)?;
        let grid = info.grid().map_err(IoError::core(source))?;
        Ok(StreamShape { grid, frames: Some(info.frames) })
    }

    /// Opens a source: `-` (Y4M or raw frames behind a line of JSON on standard input), a `.y4m`, `.gif` or `.frames` file, a compressed
    /// film, a camera (`/dev/video0`), an address (`rtsp://…`), a folder of images or a pattern with `*` and `?` (both in natural order
    /// of names), an image, or a file with a time axis. Films, cameras and addresses are decoded by the program `ffmpeg`.
    ///
    /// # Errors
    /// [`IoError::Open`], [`IoError::NoFrames`], [`IoError::UnknownExtension`], and what a broken header causes;
    /// [`IoError::NoProgram`] without that program, [`IoError::Film`] with what it says.
    pub fn open(source: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Self> {
        let reading = reading.into();
        if source == Path::new(STANDARD_INPUT) {
            let name = Path::new(STANDARD_INPUT_NAME);
            let mut context = Context::new(name, reading.clone(), warnings);
            let mut source = Source::from_stream(std::io::stdin(), reading.files.control());
            let first = source.first_byte(&context)?;
            let open = if first == Some(raw_frames::FIRST_BYTE) { raw_frames::open } else { y4m::open };
            let reader = open(source, &mut context)?;
            let input = Input { path: name.to_owned(), series: None, part: None, frames: None };
            let frames = Frames::Reader(ChosenFrames::new(reader, input));
            return Ok(Self::new(name, frames, reading));
        }
        let input = Input::of(source);
        if let Some(live) = FilmSource::live(&input.path) {
            return Self::live(&live, &input, reading, warnings);
        }
        if let Some(files) = input.files(&reading)? {
            return Ok(Self::new(source, Frames::Files(files.into_iter()), reading));
        }
        let path = &input.path;
        if path.is_dir() {
            return Self::loaded(source, reading, warnings);
        }
        let format = require_to_read(path, "frames", has_grid)?;
        let Reader::Frames(open) = format.reader else {
            return Self::loaded(source, reading, warnings);
        };
        let mut context = Context::new(path, reading.clone(), warnings);
        let opened = open(Source::open(path, context.files())?, &mut context);
        let reader = context.settled(opened)?;
        let _held = context.into_claim();
        let frames = Frames::Reader(ChosenFrames::new(reader, input.clone()));
        Ok(Self { _held, ..Self::new(path, frames, reading) })
    }

    /// Frames as they are filmed.
    fn live(live: &FilmSource, input: &Input, reading: Reading, warnings: &mut Warnings) -> Result<Self> {
        let name = &shown_source(&input.path);
        if let FilmSource::Camera(device) = live {
            std::fs::metadata(device).map_err(IoError::open(name))?;
        }
        let mut context = Context::new(name, reading.clone(), warnings);
        let opened = FilmReader::open(live, &mut context);
        let reader = Box::new(context.settled(opened)?);
        let input = Input { path: name.clone(), ..input.clone() };
        Ok(Self::new(name, Frames::Reader(ChosenFrames::new(reader, input)), reading))
    }

    /// The files of a folder as they come: those that are there in natural order of their names, then new ones, for which
    /// [`Self::next_frame`] waits until [`FolderWatch`] ends the stream.
    ///
    /// # Errors
    /// [`IoError::Open`] if the folder cannot be listed.
    pub fn watch(folder: &Path, watch: FolderWatch, reading: impl Into<Reading>) -> Result<Self> {
        let watched = WatchedFolder::open(folder, watch)?;
        Ok(Self::new(folder, Frames::Watched(Box::new(watched)), reading.into()))
    }

    /// Frames from files, in the order given.
    pub fn of_files(files: Vec<PathBuf>, reading: impl Into<Reading>) -> Self {
        let name = files.first().cloned().unwrap_or_default();
        Self::new(&name, Frames::Files(files.into_iter()), reading.into())
    }

    /// An image, or a sequence that is read as a whole.
    fn loaded(source: &Path, reading: Reading, warnings: &mut Warnings) -> Result<Self> {
        let (frames, frame_interval_ms) = match read(source, reading.clone(), warnings)? {
            Content::Sequence(sequence) => {
                let interval = sequence.frame_interval_ms();
                (sequence.into_frames(), interval)
            }
            Content::Image(image) => (vec![image], None),
            other => {
                return Err(IoError::kind(source, "frames", other.describe(), "give images or a video"));
            }
        };
        Ok(Self { frame_interval_ms, ..Self::new(source, Frames::Loaded(frames.into_iter()), reading) })
    }

    fn new(name: &Path, frames: Frames, reading: Reading) -> Self {
        let (frame_interval_ms, end) = match &frames {
            Frames::Reader(chosen) => (chosen.frame_interval_ms(), chosen.end()),
            _ => (None, None),
        };
        let (name, _held, said) = (name.to_owned(), reading.files.budget().claim(), HashSet::new());
        Self { name, frames, grid: None, frame_interval_ms, time_ms: None, end, reading, _held, said }
    }

    /// What it is called in messages: its path, or `standard input`.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Milliseconds between frames, where the source says so (an animation says it with its first frame).
    pub fn frame_interval_ms(&self) -> Option<f64> {
        self.frame_interval_ms
    }

    /// When the frame that came last was taken, milliseconds, where the source says so of each frame: films and cameras do.
    pub fn time_ms(&self) -> Option<f64> {
        self.time_ms
    }

    /// What ends the stream from another thread while it waits for its next frame: of films and cameras, whose process it ends.
    pub fn end(&self) -> Option<StreamEnd> {
        self.end.clone()
    }

    /// The next frame, or none after the last. A warning that an earlier frame caused as well is not repeated.
    ///
    /// # Errors
    /// As [`read_image`](crate::read_image); [`IoError::Truncated`] for a stream that ends within a frame;
    /// [`IoError::Core`] if the frame has another size than the first.
    pub fn next_frame(&mut self, warnings: &mut Warnings) -> Result<Option<Volume<f32>>> {
        let mut own = Warnings::new();
        let mut path = self.name.clone();
        let mut context = Context::new(&self.name, self.reading.clone(), &mut own);
        let frame = match &mut self.frames {
            Frames::Ended => None,
            Frames::Loaded(frames) => frames.next(),
            Frames::Reader(reader) => {
                let frame = reader.next(&mut context);
                let frame = context.settled(frame)?;
                self.frame_interval_ms = reader.frame_interval_ms();
                self.time_ms = reader.time_ms();
                frame
            }
            Frames::Watched(watched) => match watched.next(&self.reading, &mut own)? {
                None => None,
                Some((file, frame)) => {
                    path = file;
                    Some(frame)
                }
            },
            Frames::Files(files) => match files.next() {
                None => None,
                Some(file) => {
                    path = file;
                    Some(read_image(&path, self.reading.clone(), &mut own)?)
                }
            },
        };
        if frame.is_none()
            && let Frames::Reader(reader) = std::mem::replace(&mut self.frames, Frames::Ended)
        {
            reader.finish(&mut Context::new(&self.name, self.reading.clone(), &mut own))?;
        }
        self.pass_on(own, &path, warnings);
        if let Some(frame) = &frame {
            let first = self.grid.get_or_insert_with(|| frame.grid().clone());
            let same = first.require_same(frame.grid(), "first frame and this one");
            same.map_err(IoError::core(&path))?;
        }
        Ok(frame)
    }

    /// Passes on the warnings of a frame that no frame before it caused.
    fn pass_on(&mut self, own: Warnings, path: &Path, warnings: &mut Warnings) {
        let prefix = format!("{}: ", path.display());
        for warning in own.iter() {
            let message = warning.message.strip_prefix(&prefix).unwrap_or(&warning.message);
            if self.said.insert(message.to_owned()) {
                warnings.push(warning.kind, warning.message.clone());
            }
        }
    }
}
