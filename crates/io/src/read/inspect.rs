//! The header of a file in the terms of this library, for `veloxel info`.

use crate::content::{Content, ContentKind, Decoded};
use crate::error::{IoError, Result};
use crate::format::{Format, Reader};
use crate::formats::lookup::{has_grid, require_to_read};
use crate::read::context::Context;
use crate::read::decode_file;
use crate::read::input::Input;
use crate::read::layout::{Layout, Meaning};
use crate::read::reading::Reading;
use crate::read::series::decode_series;
use crate::read::source::Source;
use crate::read::stored::StorePlace;
use crate::read::stream::chosen::read_chosen;
use crate::read::stream::frame_reader::FrameReader;
use serde::Serialize;
use std::path::Path;
use veloxel_core::{CoreError, Dimension, Grid, Warnings};

/// A file's header, in the terms of this library.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileInfo {
    /// The format.
    pub format: &'static Format,
    /// What it holds.
    pub kind: ContentKind,
    /// 2-D or 3-D.
    pub dimension: Dimension,
    /// Voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
    /// Millimetres (pictures: pixels) between neighbours, `(x, y, z)`.
    pub spacing_mm: [f64; 3],
    /// World position (LPS mm) of voxel (0, 0, 0).
    pub origin_mm: [f64; 3],
    /// Row-major; column `a` is the world direction (LPS) of axis `a`.
    pub direction: [[f64; 3]; 3],
    /// The type of samples in the file, `× n` for n channels.
    pub sample_type: String,
    /// Frames over time; 1 unless it is a sequence.
    pub frames: usize,
    /// Milliseconds between frames, where the file says so.
    pub frame_interval_ms: Option<f64>,
    /// What reading would warn of. For volume formats only the header is looked at.
    pub warnings: Warnings,
}

impl FileInfo {
    /// The grid of its samples.
    ///
    /// # Errors
    /// [`CoreError`] should not occur: the numbers are those of a grid.
    pub fn grid(&self) -> Result<Grid, CoreError> {
        let [nx, ny, nz] = self.size;
        let grid = match self.dimension {
            Dimension::Two => Grid::image(nx, ny),
            Dimension::Three => Grid::volume(nx, ny, nz),
        }?;
        Ok(grid
            .with_spacing_mm(self.spacing_mm)?
            .with_direction(self.direction)?
            .with_origin_mm(self.origin_mm))
    }
}

const WHAT: &str = "an image, sequence or displacement field";

/// Looks at a file: at everything for pictures; for volume formats at the header, and at whether all samples are there.
///
/// # Errors
/// As [`read`](crate::read).
pub fn inspect(path: &Path, reading: impl Into<Reading>) -> Result<FileInfo> {
    let input = Input::of(path);
    let reading = input.reading(reading.into());
    let files = input.asked_files(&reading)?;
    if let Some(files) = files {
        let info = inspect(&files[0], reading)?;
        return Ok(FileInfo { kind: of_frames(files.len(), info.kind), frames: files.len(), ..info });
    }
    let mut info = inspect_file(&input.path, reading)?;
    if let Some(selection) = input.frames {
        input.require(info.frames)?;
        info.frames = selection.of(info.frames).len();
        info.kind = of_frames(info.frames, info.kind);
        info.frame_interval_ms = info.frame_interval_ms.map(|ms| ms * selection.step() as f64);
    }
    Ok(info)
}

/// What so many frames of a file or a folder are.
fn of_frames(count: usize, kind: ContentKind) -> ContentKind {
    match (kind, count) {
        (ContentKind::Sequence, 1) => ContentKind::Image,
        (ContentKind::Image, 2..) => ContentKind::Sequence,
        _ => kind,
    }
}

fn inspect_file(path: &Path, reading: Reading) -> Result<FileInfo> {
    let mut warnings = Warnings::new();
    let mut context = Context::new(path, reading, &mut warnings);
    if let Some(decoded) = decode_series(path, &mut context)? {
        let format =
            Format::from_path(Path::new("series.dcm")).expect("the format of a series should be known");
        return Ok(FileInfo { warnings, ..of_content(path, format, &decoded)? });
    }
    let format = require_to_read(path, WHAT, has_grid)?;
    let mut info = match format.reader {
        Reader::Header(header) => {
            let (layout, source) = header(Source::open(path, context.files())?, &mut context)?;
            let needed = layout.sample_bytes(&context)?;
            source.require_bytes("the sample data", needed, &mut context)?;
            of_layout(format, &layout)
        }
        Reader::Store(open) => {
            let stored = open(StorePlace::Path(path.to_owned()), &mut context);
            of_layout(format, context.settled(stored)?.layout())
        }
        Reader::Frames(open) => {
            let source = Source::open(path, context.files())?;
            let info =
                open(source, &mut context).and_then(|reader| of_frames_read(format, reader, &mut context));
            context.settled(info)?
        }
        Reader::Whole(_) => {
            let decoded = decode_file(format, path, &mut context)?;
            of_content(path, format, &decoded)?
        }
    };
    info.warnings = warnings;
    Ok(info)
}

/// A video: its frames are counted, and one is held at a time.
fn of_frames_read(
    format: &'static Format,
    mut reader: Box<dyn FrameReader + '_>,
    context: &mut Context,
) -> Result<FileInfo> {
    let (mut first, mut count) = (None, 0);
    loop {
        let mut own = Warnings::new();
        let mut of_frame = Context::new(context.path, context.reading.clone(), &mut own);
        let frame = reader.next_frame(&mut of_frame);
        // What a frame claims is given back with it.
        drop(of_frame);
        context.pass_on(own);
        let Some(frame) = frame? else { break };
        let grid = first.get_or_insert_with(|| frame.grid().clone());
        grid.require_same(frame.grid(), "first frame and this one").map_err(|error| context.core(error))?;
        count += 1;
    }
    let (sample_type, frame_interval_ms) = (reader.sample_type(), reader.frame_interval_ms());
    reader.finish(context)?;
    let grid = first.ok_or_else(|| context.core(CoreError::EmptySequence))?;
    let kind = of_frames(count, ContentKind::Image);
    let frame_interval_ms = frame_interval_ms.filter(|_| count > 1);
    Ok(FileInfo { frames: count, frame_interval_ms, sample_type, ..on_grid(format, kind, &grid) })
}

/// The grid of a file's samples, from its header alone: whether the samples are there is not looked at. Formats without a header
/// of that kind are read whole.
///
/// # Errors
/// As [`inspect`], but for samples that are missing.
pub fn read_grid(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Grid> {
    let input = Input::of(path);
    let reading = input.reading(reading.into());
    let files = input.asked_files(&reading)?;
    if let Some([first, ..]) = files.as_deref() {
        return read_grid(first, reading, warnings);
    }
    let path = &input.path;
    let mut context = Context::new(path, reading, warnings);
    if let Some(decoded) = decode_series(path, &mut context)? {
        return match input.content(decoded.content, &context)? {
            Content::Image(image) => Ok(image.grid().clone()),
            Content::Sequence(sequence) => Ok(sequence.grid().clone()),
            other => Err(IoError::kind(path, "an image", other.describe(), "give the image itself")),
        };
    }
    let format = require_to_read(path, "an image", has_grid)?;
    match (format.read_grid, format.reader) {
        (Some(read), _) => read(Source::open(path, context.files())?, &mut context),
        (None, Reader::Header(header)) => {
            let (layout, _) = header(Source::open(path, context.files())?, &mut context)?;
            input.require(layout.frames)?;
            Ok(layout.grid)
        }
        (None, Reader::Store(open)) => {
            let stored = open(StorePlace::Path(path.to_owned()), &mut context);
            let stored = context.settled(stored)?;
            input.require(stored.layout().frames)?;
            Ok(stored.layout().grid.clone())
        }
        (None, Reader::Frames(open)) if input.frames.is_some() => {
            let reader = open(Source::open(path, context.files())?, &mut context)?;
            match read_chosen(reader, &input, &mut context)? {
                Content::Sequence(sequence) => Ok(sequence.grid().clone()),
                Content::Image(image) => Ok(image.grid().clone()),
                other => Err(IoError::kind(path, "an image", other.describe(), "give the image itself")),
            }
        }
        (None, Reader::Whole(_) | Reader::Frames(_)) => {
            match decode_file(format, path, &mut context)?.content {
                Content::Image(image) => Ok(image.grid().clone()),
                Content::Sequence(sequence) if input.frames.is_some() => {
                    input.require(sequence.frames().len())?;
                    Ok(sequence.grid().clone())
                }
                other => Err(IoError::kind(path, "an image", other.describe(), "give the image itself")),
            }
        }
    }
}

fn of_content(path: &Path, format: &'static Format, decoded: &Decoded) -> Result<FileInfo> {
    let info = match &decoded.content {
        Content::Image(image) => on_grid(format, ContentKind::Image, image.grid()),
        Content::Flow(flow) => on_grid(format, ContentKind::Flow, flow.grid()),
        Content::Sequence(s) => FileInfo {
            frames: s.frames().len(),
            frame_interval_ms: s.frame_interval_ms(),
            ..on_grid(format, ContentKind::Sequence, s.grid())
        },
        other @ (Content::Mesh(_) | Content::Surface(_)) => {
            return Err(IoError::kind(path, WHAT, other.describe(), "give samples on a grid"));
        }
    };
    Ok(FileInfo { sample_type: decoded.sample_type.clone(), ..info })
}

fn of_layout(format: &'static Format, layout: &Layout) -> FileInfo {
    let kind = match layout.meaning {
        Meaning::Vector { .. } => ContentKind::Flow,
        _ if layout.frames > 1 => ContentKind::Sequence,
        _ => ContentKind::Image,
    };
    let name = layout.stored.element.name();
    let sample_type = match layout.components() {
        1 => name.to_owned(),
        n => format!("{name} × {n}"),
    };
    FileInfo {
        frames: layout.frames,
        frame_interval_ms: layout.frame_interval_ms,
        sample_type,
        ..on_grid(format, kind, &layout.grid)
    }
}

fn on_grid(format: &'static Format, kind: ContentKind, grid: &Grid) -> FileInfo {
    FileInfo {
        format,
        kind,
        dimension: grid.dimension(),
        size: grid.size(),
        spacing_mm: grid.spacing_mm(),
        origin_mm: grid.origin_mm(),
        direction: grid.direction(),
        sample_type: String::new(),
        frames: 1,
        frame_interval_ms: None,
        warnings: Warnings::new(),
    }
}
