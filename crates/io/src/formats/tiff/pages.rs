//! What the tags of a page say of its place among frames: thumbnails and masks, axes of stacks, and how a picture lies.
//!
//! *Specification*: Adobe, "TIFF Revision 6.0", 1992 (NewSubfileType, Orientation); ImageJ's and OME's descriptions of stacks.

use super::{PageDecoder, failure};
use crate::error::Result;
use crate::read::context::Context;
use tiff::decoder::ifd::Value;
use tiff::tags::{CompressionMethod, Tag};
use veloxel_core::WarningKind;

/// Bits of a page's kind: a smaller version of another page, or a mask of one.
const SMALLER_OR_MASK: u32 = 0b101;
/// The kind of a page in an older tag.
const SMALLER: u32 = 2;
/// The number of characters of a description that are looked at.
const MOST_CHARACTERS: usize = 1 << 16;

/// Images of a stack, by its own description.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StackAxes {
    pub images: usize,
    pub channels: usize,
    pub slices: usize,
    /// Images of a slice over time.
    pub times: usize,
    /// Whether ImageJ wrote it.
    pub is_image_j: bool,
}

/// Whether a page is a picture of its own.
pub(super) fn is_frame(decoder: &mut PageDecoder) -> bool {
    let mut number = |tag: Tag| decoder.find_tag_unsigned::<u32>(tag).ok().flatten();
    let is_other = number(Tag::NewSubfileType).is_some_and(|kind| kind & SMALLER_OR_MASK != 0);
    !is_other && number(Tag::SubfileType) != Some(SMALLER)
}

/// The axes that the description of the first page counts.
pub(super) fn stack_axes(decoder: &mut PageDecoder) -> StackAxes {
    let Ok(Some(Value::Ascii(text))) = decoder.find_tag(Tag::ImageDescription) else {
        return StackAxes::default();
    };
    let text: String = text.chars().take(MOST_CHARACTERS).collect();
    if text.starts_with("ImageJ=") {
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(1)
        };
        let (images, channels, slices) = (value("images"), value("channels"), value("slices"));
        return StackAxes { images, channels, slices, times: value("frames"), is_image_j: true };
    }
    let Some((_, pixels)) = text.split_once("<Pixels").filter(|_| text.contains("<OME")) else {
        return StackAxes::default();
    };
    let value = |name: &str| {
        let (_, rest) = pixels.split_once(&format!(" {name}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    let size = |name: &str| value(name).unwrap_or(1);
    let (channels, slices, times) = (size("SizeC"), size("SizeZ"), size("SizeT"));
    StackAxes { images: channels * slices * times, channels, slices, times, is_image_j: false }
}

/// Refuses channels taken for frames, and slices between them, and says of slices what they are taken for.
pub(super) fn check_axes(axes: StackAxes, pages: usize, samples: usize, context: &mut Context) -> Result<()> {
    let StackAxes { channels, slices, times, .. } = axes;
    // Channels may stand together in each pixel.
    if pages > 1 && channels > 1 && channels > samples {
        let what = format!("a stack of {pages} images in {channels} channels, which are no frames over time");
        return Err(context.unsupported(what, "save one channel as a file of its own"));
    }
    if pages > 1 && slices > 1 && times > 1 {
        let what = format!("a stack of {pages} images, {slices} slices at {times} times");
        return Err(context.unsupported(what, "save one time, or one slice over time, as a file of its own"));
    }
    if pages > 1 && slices > 1 {
        let text =
            format!("its description counts {slices} slices: images are taken as frames one after the other");
        context.note(WarningKind::Header, text);
    }
    Ok(())
}

/// The number that stands for no data in a page, where it names one (GDAL's tag).
pub(super) fn no_data(decoder: &mut PageDecoder) -> Option<f64> {
    match decoder.find_tag(Tag::GdalNodata).ok().flatten()? {
        Value::Ascii(text) => text.trim_end_matches('\0').trim().parse().ok(),
        _ => None,
    }
}

/// How a page lies; 1 where it does not say so.
pub(super) fn orientation(decoder: &mut PageDecoder, file_bytes: u64, context: &Context) -> Result<u16> {
    let found =
        decoder.find_tag_unsigned::<u16>(Tag::Orientation).map_err(|e| failure(e, file_bytes, context))?;
    Ok(found.unwrap_or(1))
}

/// Refuses LZW as it was before 1990, which begins with another bit and would pass for a broken stream.
///
/// *Source*: libtiff tells it by the same two bytes; the code that empties the table comes first in both.
pub(super) fn check_age_of_lzw(decoder: &mut PageDecoder, context: &Context) -> Result<()> {
    let mut first = |tag: Tag| decoder.find_tag_unsigned_vec::<u64>(tag).ok().flatten()?.first().copied();
    let place = first(Tag::StripOffsets).or_else(|| first(Tag::TileOffsets));
    if first(Tag::Compression) != Some(u64::from(CompressionMethod::LZW.to_u16())) {
        return Ok(());
    }
    let file = decoder.inner().get_mut().get_ref();
    let begin = place.and_then(|at| file.get(usize::try_from(at).ok()?..)?.first_chunk::<2>());
    let is_old = begin.is_some_and(|[zero, odd]| *zero == 0 && odd % 2 == 1);
    let hint = "save it again with LZW, deflate or uncompressed (tiffcp -c lzw OLD.tif NEW.tif)";
    context.support(!is_old, "LZW as TIFF had it before version 6", hint)
}

/// Whether the last channel of a page is its opacity.
pub(super) fn has_alpha(decoder: &mut PageDecoder) -> bool {
    const OPACITY: [u64; 2] = [1, 2];
    let extra = decoder.find_tag_unsigned_vec::<u64>(Tag::ExtraSamples).ok().flatten();
    extra.and_then(|extra| extra.last().copied()).is_some_and(|kind| OPACITY.contains(&kind))
}
