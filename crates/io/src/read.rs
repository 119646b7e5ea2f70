//! Reading by extension: the one door to all formats.

use crate::content::{Content, Decoded};
use crate::context::{Context, Strictness};
use crate::format::Format;
use crate::layout::Layout;
use crate::source::Source;
use crate::{IoError, frames};
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Mask, Sequence, Volume, Warnings};

/// Labels up to this size are whole numbers in `f32`.
const MAX_LABEL: i32 = 1 << 24;

/// Reads whatever the file holds.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::Open`], and everything that a broken file can cause; the message names
/// the file, what was expected and what was found.
pub fn read(path: &Path, strictness: Strictness, warnings: &mut Warnings) -> Result<Content, IoError> {
    let format = Format::require_to_read(path, "an image, sequence or displacement field", Format::READ)?;
    let mut context = Context::new(path, strictness, warnings);
    Ok(decode(format, Source::open(path)?, &mut context)?.content)
}

/// Reads from memory: `name` stands for the file in messages. Formats that keep samples in a second file
/// (`.mhd`, `.nhdr`) look for it beside `name`.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(
    format: Format,
    (name, bytes): (&Path, &[u8]),
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<Content, IoError> {
    let mut context = Context::new(name, strictness, warnings);
    Ok(decode(format, Source::from_bytes(bytes), &mut context)?.content)
}

/// Reads one picture or volume.
///
/// # Errors
/// As [`read`]; [`IoError::Kind`] if the file holds a sequence or a field.
pub fn read_image(
    path: &Path,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<Volume<f32>, IoError> {
    match read(path, strictness, warnings)? {
        Content::Image(image) => Ok(image),
        other @ Content::Sequence(_) => {
            Err(kind(path, "an image", &other, "use --sequence, or take out one frame"))
        }
        other @ Content::Flow(_) => Err(kind(path, "an image", &other, "give the image itself")),
    }
}

/// Reads frames over time: one file with a time axis, or a folder of frames in natural order of their names
/// (`frame2` before `frame10`; files that are no images are left out).
///
/// # Errors
/// As [`read`]; [`IoError::Kind`] if a single file is no sequence; [`IoError::NoFrames`] for a folder without images.
pub fn read_sequence(
    path: &Path,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<Sequence, IoError> {
    if path.is_dir() {
        return read_frames(&frames::in_folder(path)?, strictness, warnings);
    }
    match read(path, strictness, warnings)? {
        Content::Sequence(sequence) => Ok(sequence),
        other => {
            Err(kind(path, "a sequence", &other, "give a 4-D file, a folder of frames, or a list of files"))
        }
    }
}

/// Reads one file a frame, in the order given; the frame interval is unknown.
///
/// # Errors
/// As [`read_image`]; [`IoError::Core`] if a frame lies on another grid than the first, or there is none.
pub fn read_frames(
    paths: &[PathBuf],
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<Sequence, IoError> {
    let mut frames: Vec<Volume<f32>> = Vec::new();
    for path in paths {
        let frame = read_image(path, strictness, warnings)?;
        if let Some(first) = frames.first() {
            let same = first.grid().require_same(frame.grid(), "first frame and this one");
            same.map_err(|source| IoError::Core { path: path.clone(), source })?;
        }
        frames.push(frame);
    }
    let path = paths.first().cloned().unwrap_or_default();
    Sequence::new(frames, None).map_err(|source| IoError::Core { path, source })
}

/// Reads a displacement field: `.flo`, KITTI `.png`, three-channel `.pfm`, or a vector volume.
///
/// # Errors
/// As [`read`]; [`IoError::Kind`] if the file holds something else.
pub fn read_flow(path: &Path, strictness: Strictness, warnings: &mut Warnings) -> Result<Flow, IoError> {
    let format = Format::require_to_read(path, "a displacement field", Format::FLOW)?;
    let mut context = Context::new(path, strictness, warnings);
    let source = Source::open(path)?;
    let decoded = match format {
        // Asked for as a field, a PNG need not look like one at first sight.
        Format::Png => crate::kitti::read(source, &mut context)?,
        _ => decode(format, source, &mut context)?,
    };
    match decoded.content {
        Content::Flow(flow) => Ok(flow),
        other => Err(kind(
            path,
            "a displacement field",
            &other,
            "give a .flo, a KITTI .png, a .pfm or a vector volume",
        )),
    }
}

/// Reads a label image: whole numbers only.
///
/// # Errors
/// As [`read_image`]; [`IoError::NotLabel`] with the first sample that is no whole number within ±2^24.
pub fn read_labels(
    path: &Path,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<Volume<i32>, IoError> {
    let image = read_image(path, strictness, warnings)?;
    let is_label = |v: f32| v.fract() == 0.0 && v.abs() <= MAX_LABEL as f32;
    match image.data().iter().position(|&v| !is_label(v)) {
        None => Ok(image.map(|&v| v as i32)),
        Some(i) => Err(IoError::NotLabel {
            value: image.data()[i],
            position: image.grid().position(i),
            limit: MAX_LABEL,
            path: path.to_owned(),
        }),
    }
}

/// Reads a mask: inside wherever a sample is finite and not 0.
///
/// # Errors
/// As [`read_image`].
pub fn read_mask(path: &Path, strictness: Strictness, warnings: &mut Warnings) -> Result<Mask, IoError> {
    Ok(Mask::from_nonzero(&read_image(path, strictness, warnings)?))
}

fn kind(path: &Path, expected: &'static str, got: &Content, hint: &'static str) -> IoError {
    IoError::Kind { expected, got: got.describe(), hint, path: path.to_owned() }
}

/// The header of a volume format, with the source at its first sample; `None` for other formats.
pub(crate) fn layout<'a>(
    format: Format,
    source: Source<'a>,
    context: &mut Context,
) -> Result<Option<(Layout, Source<'a>)>, IoError> {
    match format {
        Format::Nifti => crate::nifti::layout(source, context).map(Some),
        Format::MetaImage => crate::metaimage::layout(source, context).map(Some),
        Format::Nrrd => crate::nrrd::layout(source, context).map(Some),
        _ => Ok(None),
    }
}

pub(crate) fn decode(format: Format, source: Source, context: &mut Context) -> Result<Decoded, IoError> {
    let (layout, mut source) = match format {
        Format::Png => return crate::png_image::read(source, context),
        Format::Pnm => return crate::pnm::read(source, context),
        Format::Tiff => return crate::tiff_image::read(source, context),
        Format::Jpeg => return crate::jpeg::read(source, context),
        Format::Bmp => return crate::bmp::read(source, context),
        Format::Flo => return crate::flo::read(source, context),
        Format::Pfm => return crate::pfm::read(source, context),
        Format::Gif => return crate::gif_animation::read(source, context),
        Format::Y4m => return crate::y4m::read(source, context),
        Format::Nifti => crate::nifti::layout(source, context)?,
        Format::MetaImage => crate::metaimage::layout(source, context)?,
        Format::Nrrd => crate::nrrd::layout(source, context)?,
    };
    let samples = source.samples(layout.sample_count(context)?, layout.stored, context)?;
    source.finish(context)?;
    let sample_type = layout.stored.element.name().to_owned();
    Ok(Decoded { content: layout.content(samples, context)?, sample_type })
}
