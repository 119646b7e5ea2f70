//! Reading by extension: whatever the file holds, or one kind of content.

pub(crate) mod budget;
pub(crate) mod compressed;
pub(crate) mod context;
pub(crate) mod element;
pub(crate) mod files_read;
pub(crate) mod foreign;
pub(crate) mod frames;
pub(crate) mod geometry;
pub(crate) mod input;
pub(crate) mod inspect;
mod labels;
pub(crate) mod layout;
pub(crate) mod luminance;
pub(crate) mod opened_files;
pub(crate) mod polygons;
pub(crate) mod reading;
pub(crate) mod series;
pub(crate) mod source;
pub(crate) mod stored;
pub(crate) mod stream;
pub(crate) mod upright;
pub(crate) mod watch;

use crate::content::{Content, ContentKind, Decoded};
use crate::error::{IoError, Result};
use crate::film::{FilmSource, read_live};
use crate::format::{Format, ReadHeader, Reader};
use crate::formats::lookup::{has_grid, require, require_to_read};
use crate::read::context::Context;
use crate::read::input::Input;
use crate::read::input::frame_selection::FrameSelection;
use crate::read::input::some_frames::{lie_in_order, read_some};
use crate::read::layout::Layout;
use crate::read::reading::Reading;
use crate::read::series::decode_series;
use crate::read::source::Source;
use crate::read::stored::{StorePlace, StoredSamples};
use crate::read::stream::chosen::read_chosen;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Grid, Hint, Mask, Sequence, TetMesh, TriangleMesh, Volume, Warnings};

/// Labels up to this size are whole numbers in `f32`.
const MAX_LABEL: i32 = 1 << 24;

/// Reads an image, a sequence or a displacement field, whatever the file holds.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::Open`], and everything that a broken file can cause; the message names
/// the file, what was expected and what was found.
pub fn read(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Content> {
    let input = Input::of(path);
    let reading = input.reading(reading.into());
    let files = input.asked_files(&reading)?;
    match files.as_deref() {
        Some([one]) => read(one, reading, warnings),
        Some(several) => read_frames(several, reading, warnings).map(Content::Sequence),
        None => read_content(&input, &mut Context::new(&input.path, reading, warnings)),
    }
}

/// Reads a file, or a folder of DICOM files.
fn read_content(input: &Input, context: &mut Context) -> Result<Content> {
    let path = &input.path;
    if let Some(live) = FilmSource::live(path) {
        return read_live(&live, input, context);
    }
    if let Some(decoded) = decode_series(path, context)? {
        return input.content(decoded.content, context);
    }
    let format = require_to_read(path, "an image, sequence or displacement field", has_grid)?;
    match (format.reader, input.frames) {
        (Reader::Header(header), Some(_)) => {
            let content = decode_some(header, Source::open(path, context.files())?, input, context);
            context.settled(content)
        }
        (Reader::Store(open), Some(_)) => {
            let content = open(StorePlace::Path(path.to_owned()), context)
                .and_then(|stored| stored_frames(&*stored, input, context));
            context.settled(content)
        }
        (Reader::Frames(open), Some(_)) => {
            let source = Source::open(path, context.files())?;
            let content = open(source, context).and_then(|reader| read_chosen(reader, input, context));
            context.settled(content)
        }
        _ => input.content(decode_file(format, path, context)?.content, context),
    }
}

/// The frames that are asked for, of a file whose header says where they lie.
fn decode_some(header: ReadHeader, source: Source, input: &Input, context: &mut Context) -> Result<Content> {
    let (layout, source) = header(source, context)?;
    if lie_in_order(&layout) {
        return read_some(layout, source, input, context);
    }
    input.content(decode_layout(layout, source, context)?.content, context)
}

/// Reads from memory, meshes as well: `name` stands for the file in messages, and its extension decides the format.
/// Formats that keep samples in a second file (`.mhd`, `.nhdr`) look for it beside `name`.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(
    name: &Path,
    bytes: &[u8],
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<Content> {
    let (format, ()) = require(name, "reading", |_| Some(()))?;
    let mut context = Context::new(name, reading, warnings);
    if let Reader::Store(open) = format.reader {
        let decoded = open(StorePlace::Memory(bytes), &mut context)
            .and_then(|stored| decode_stored(&*stored, &mut context));
        return Ok(context.settled(decoded)?.content);
    }
    let source = Source::from_bytes(bytes).under(context.control());
    Ok(decode(format, source, &mut context)?.content)
}

/// Reads a text of at most so many bytes: UTF-8, or UTF-16 or UTF-32 with a mark. Marks are left out, and lines end with a line
/// feed.
///
/// # Errors
/// [`IoError::Open`], also for a pipe or a device; [`IoError::Malformed`] for a longer text, or one in another encoding.
pub fn read_text(path: &Path, most_bytes: u64, reading: impl Into<Reading>) -> Result<String> {
    let mut unsaid = Warnings::new();
    take_text(most_bytes, &Context::new(path, reading, &mut unsaid))
}

/// Reads the text of a context's file as [`read_text`] does; its bytes stay claimed as long as the context lives.
pub(crate) fn take_text(most_bytes: u64, context: &Context) -> Result<String> {
    let mut source = Source::open(context.path, context.files())?;
    if source.available() > most_bytes {
        let expected = format!("at most {most_bytes} bytes");
        return Err(context.malformed("text", expected, format!("{} bytes", source.available())));
    }
    let bytes = source.take_text(context)?;
    String::from_utf8(bytes).map_err(|error| context.malformed("text", "UTF-8 or UTF-16", error))
}

/// Reads one picture or volume.
///
/// # Errors
/// As [`read`]; [`IoError::Kind`] if the file holds a sequence or a field.
pub fn read_image(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Volume<f32>> {
    one_image(path, read(path, reading, warnings)?)
}

/// Reads one picture or volume, and the mask that its alpha channel is, if that is not opaque everywhere: inside wherever
/// alpha is above 0; samples outside are NaN.
///
/// # Errors
/// As [`read_image`].
pub fn read_image_and_mask(
    path: &Path,
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<(Volume<f32>, Option<Mask>)> {
    let input = Input::of(path);
    let reading = input.reading(reading.into());
    let files = input.asked_files(&reading)?;
    if let Some([file]) = files.as_deref() {
        return read_image_and_mask(file, reading, warnings);
    }
    let mut context = Context::new(&input.path, reading, warnings).masked_by_alpha();
    let image = one_image(path, read_content(&input, &mut context)?)?;
    Ok((image, context.take_mask()))
}

/// Red, green and blue of a picture, from 0 to 255 each.
pub type ColourChannels = [Volume<f32>; 3];

/// Reads one picture, and its red, green and blue, from 0 to 255, where its format is one of colours and keeps whole numbers.
///
/// # Errors
/// As [`read_image`].
pub fn read_image_and_colours(
    path: &Path,
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<(Volume<f32>, Option<ColourChannels>)> {
    let input = Input::of(path);
    let reading = input.reading(reading.into());
    let files = input.asked_files(&reading)?;
    if let Some([file]) = files.as_deref() {
        return read_image_and_colours(file, reading, warnings);
    }
    let mut context = Context::new(&input.path, reading, warnings).keeping_colours();
    let image = one_image(path, read_content(&input, &mut context)?)?;
    let grid = image.grid();
    let is_of_image = |channels: &[Vec<f32>; 3]| channels.iter().all(|c| c.len() == grid.len());
    let channels = context.take_colours().filter(is_of_image);
    let volume = |samples: Vec<f32>| Volume::new(grid.clone(), samples).map_err(IoError::core(path));
    let colours =
        channels.map(|[red, green, blue]| Ok::<_, IoError>([volume(red)?, volume(green)?, volume(blue)?]));
    Ok((image.clone(), colours.transpose()?))
}

fn one_image(path: &Path, content: Content) -> Result<Volume<f32>> {
    let hint = match content {
        Content::Image(image) => return Ok(image),
        Content::Sequence(_) => {
            "estimate a sequence, or name one frame, from 0 on, behind an @ (cine.nii.gz@5)"
        }
        _ => "give the image itself",
    };
    let is_sequence = matches!(content, Content::Sequence(_));
    let error = IoError::kind(path, "an image", content.describe(), hint);
    Err(if is_sequence { error.about(Hint::Sequence) } else { error })
}

/// Reads frames over time: one file with a time axis, or a folder of frames in natural order of their names
/// (`frame2` before `frame10`; files that are no images are left out).
///
/// # Errors
/// As [`read`]; [`IoError::Kind`] if a single file is no sequence; [`IoError::NoFrames`] for a folder without images.
pub fn read_sequence(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Sequence> {
    let (input, reading) = (Input::of(path), reading.into());
    if input.path.is_dir()
        && let Some(files) = input.files(&reading)?
    {
        return read_frames(&files, reading, warnings);
    }
    let hint = "give a 4-D file, a folder of frames, or a list of files";
    match read(path, reading, warnings)? {
        Content::Sequence(sequence) => Ok(sequence),
        // A range may have one frame.
        Content::Image(image) if input.frames.is_some() => {
            Sequence::new(vec![image], None).map_err(IoError::core(path))
        }
        other => Err(IoError::kind(path, "a sequence", other.describe(), hint)),
    }
}

/// Reads one file a frame, in the order given, or the range of frames that a name asks for; each may lie on a grid of its own.
///
/// # Errors
/// As [`read_image`].
pub fn read_frame_list(
    paths: &[PathBuf],
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<Vec<Volume<f32>>> {
    let reading = reading.into();
    let mut unsaid = Warnings::new();
    let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
    // The frames together count as one file.
    let all = Context::new(path, reading.clone(), &mut unsaid);
    let mut frames = Vec::new();
    for path in paths {
        let own = match read(path, reading.clone(), warnings)? {
            Content::Sequence(several) if Input::of(path).frames.is_some() => several.into_frames(),
            other => vec![one_image(path, other)?],
        };
        for frame in own {
            all.claim(size_of_val(frame.data()) as u64)?;
            frames.push(frame);
        }
    }
    Ok(frames)
}

/// Reads one file a frame, in the order given; the frame interval is unknown.
///
/// # Errors
/// As [`read_image`]; [`IoError::Core`] if a frame lies on another grid than the first, or there is none.
pub fn read_frames(
    paths: &[PathBuf],
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<Sequence> {
    let frames = read_frame_list(paths, reading, warnings)?;
    if frames.len() == paths.len() {
        for (frame, path) in frames.iter().zip(paths) {
            let same = frames[0].grid().require_same(frame.grid(), "first frame and this one");
            same.map_err(IoError::core(path))?;
        }
    }
    let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
    Sequence::new(frames, None).map_err(IoError::core(path))
}

/// Reads a displacement field: `.flo`, KITTI `.png`, three-channel `.pfm`, or a vector volume.
///
/// # Errors
/// As [`read`]; [`IoError::Kind`] if the file holds something else.
pub fn read_flow(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Flow> {
    const WHAT: &str = "a displacement field";
    let format = require_to_read(path, WHAT, |format| format.reads(ContentKind::Flow))?;
    let mut context = Context::new(path, reading, warnings);
    let decoded = match format.read_flow {
        Some(read) => {
            let decoded = read(Source::open(path, context.files())?, &mut context);
            context.settled(decoded)?
        }
        None => decode_file(format, path, &mut context)?,
    };
    let hint = "give a .flo, a KITTI .png, a .pfm or a vector volume";
    match decoded.content {
        Content::Flow(flow) => Ok(flow),
        other => Err(IoError::kind(path, WHAT, other.describe(), hint)),
    }
}

/// Reads a label image: whole numbers only.
///
/// # Errors
/// As [`read_image`]; [`IoError::NotLabel`] with the first sample that is no whole number within ±2^24, where samples become
/// floats: whole numbers of volume formats are kept to ±2^31.
pub fn read_labels(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Volume<i32>> {
    let reading = reading.into();
    if let Some(labels) = labels::exact(path, &reading, warnings)? {
        return Ok(labels);
    }
    let image = read_image(path, &reading, warnings)?;
    let mut labels = Vec::with_capacity(image.data().len());
    for (nth, block) in image.data().chunks(BLOCK).enumerate() {
        reading.files.control().check()?;
        require_labels(path, image.grid(), nth * BLOCK, block, MAX_LABEL)?;
        labels.extend(block.iter().map(|&v| v as i32));
    }
    Volume::new(image.grid().clone(), labels).map_err(IoError::core(path))
}

/// Samples that become labels between two questions whether to go on.
const BLOCK: usize = 1 << 20;

/// Refuses samples, of a grid's voxels from `first` on, of which one is no whole number within ± `limit`.
pub(crate) fn require_labels(
    path: &Path,
    grid: &Grid,
    first: usize,
    samples: &[f32],
    limit: i32,
) -> Result<()> {
    let is_label = |v: f32| v.fract() == 0.0 && v.abs() <= limit as f32;
    let Some(i) = samples.iter().position(|&v| !is_label(v)) else { return Ok(()) };
    let (value, position) = (samples[i], grid.position(first + i));
    Err(IoError::NotLabel { value, position, limit, path: path.to_owned() })
}

/// Reads a mask: inside wherever a sample is finite and not 0.
///
/// # Errors
/// As [`read_image`].
pub fn read_mask(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Mask> {
    Ok(Mask::from_nonzero(&read_image(path, reading, warnings)?))
}

/// Reads a tetrahedral mesh; points stay in the file's own length unit.
///
/// # Errors
/// As [`read`]; [`IoError::Malformed`] for an index without a point, [`IoError::Unsupported`] for other cells.
pub fn read_mesh(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<TetMesh> {
    const WHAT: &str = "a tetrahedral mesh";
    let format = require_to_read(path, WHAT, |format| format.reads(ContentKind::Mesh))?;
    let mut context = Context::new(path, reading, warnings);
    match decode_file(format, path, &mut context)?.content {
        Content::Mesh(mesh) => Ok(mesh),
        other => Err(IoError::kind(path, WHAT, other.describe(), "give a mesh")),
    }
}

/// Reads a surface: polygons become fans of triangles; points stay in the file's own length unit.
///
/// # Errors
/// As [`read`]; [`IoError::Core`] for a corner without a point, a coordinate that is not finite, or no face at all.
pub fn read_surface(
    path: &Path,
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<TriangleMesh> {
    const WHAT: &str = "a mesh of triangles or polygons";
    let format = require_to_read(path, WHAT, |format| format.reads(ContentKind::Surface))?;
    let mut context = Context::new(path, reading, warnings);
    match decode_file(format, path, &mut context)?.content {
        Content::Surface(mesh) => Ok(mesh),
        other => Err(IoError::kind(path, WHAT, other.describe(), "give a surface")),
    }
}

/// Reads a file of a format, or its folder.
pub(crate) fn decode_file(format: &Format, path: &Path, context: &mut Context) -> Result<Decoded> {
    let Reader::Store(open) = format.reader else {
        return decode(format, Source::open(path, context.files())?, context);
    };
    let decoded =
        open(StorePlace::Path(path.to_owned()), context).and_then(|stored| decode_stored(&*stored, context));
    context.settled(decoded)
}

/// All that a store holds.
fn decode_stored(stored: &dyn StoredSamples, context: &mut Context) -> Result<Decoded> {
    let layout = stored.layout().clone();
    let all: Vec<usize> = (0..layout.frames).collect();
    let samples = stored.samples(&all, context)?;
    let sample_type = layout.stored.element.name().to_owned();
    Ok(Decoded { content: layout.content(samples, context)?, sample_type })
}

/// The frames that are asked for, of a store.
fn stored_frames(stored: &dyn StoredSamples, input: &Input, context: &mut Context) -> Result<Content> {
    let layout = stored.layout().clone();
    input.require(layout.frames)?;
    let numbers = input.frames.unwrap_or_default().of(layout.frames);
    let samples = stored.samples(&numbers, context)?;
    let held = Layout { frames: numbers.len(), ..layout };
    let content = held.content(samples, context)?;
    let step = input.frames.map_or(1, FrameSelection::step);
    Ok(match content {
        Content::Sequence(sequence) => {
            let interval_ms = sequence.frame_interval_ms().map(|ms| ms * step as f64);
            let interval_ms = interval_ms.filter(|ms| Sequence::INTERVALS_MS.contains(ms));
            Content::of_frames(sequence.into_frames(), interval_ms, context)?
        }
        other => other,
    })
}

/// Reads a file of a format to its end; after a stop, whatever the decoder fails with is the stop.
pub(crate) fn decode(format: &Format, source: Source, context: &mut Context) -> Result<Decoded> {
    let decoded = decode_whole(format, source, context);
    context.settled(decoded)
}

fn decode_whole(format: &Format, source: Source, context: &mut Context) -> Result<Decoded> {
    let header = match format.reader {
        Reader::Whole(read) => return read(source, context),
        Reader::Frames(open) => return stream::frame_reader::read_all(open(source, context)?, context),
        Reader::Header(header) => header,
        Reader::Store(_) => {
            return Err(context.unsupported("a store of chunks as a stream", "name its folder or archive"));
        }
    };
    let (layout, source) = header(source, context)?;
    decode_layout(layout, source, context)
}

/// All samples of a source at the first of them.
fn decode_layout(layout: Layout, mut source: Source, context: &mut Context) -> Result<Decoded> {
    let samples = source.samples(layout.sample_count(context)?, layout.stored, context)?;
    source.finish(context)?;
    let sample_type = layout.stored.element.name().to_owned();
    Ok(Decoded { content: layout.content(samples, context)?, sample_type })
}
