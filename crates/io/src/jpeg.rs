//! JPEG pictures, baseline and progressive, 8 bit.
//!
//! *Specification*: ITU-T T.81. Colour becomes luminance ([`crate::LUMA`]) after the decoder's YCbCr to RGB.
//! A stream without its end marker is cut short: an error, though a decoder could fill the rest with grey.
//! *Limits*: read only, because it loses samples; no CMYK; EXIF rotation is left alone.

use crate::IoError;
use crate::content::{Content, Decoded};
use crate::context::Context;
use crate::luminance::{Channels, Picture};
use crate::source::Source;
use std::io::Cursor;
use veloxel_core::Grid;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// An 8 × 8 block takes one bit at least.
const MAX_PIXELS_PER_BYTE: u64 = 512;

pub(crate) fn read(mut source: Source, context: &mut Context) -> Result<Decoded, IoError> {
    let file = source.take_rest(context)?;
    let end = end_of_stream(&file);
    let there = file.len() as u64;
    if !file.starts_with(&[0xff, 0xd8]) {
        return Err(context.malformed("JPEG magic", "FF D8", "something else"));
    }
    let Some(end) = end else { return Err(context.truncated("the JPEG stream", there + 2, there)) };
    if end < file.len() {
        context.trailing(Some((file.len() - end) as u64));
    }
    let limit = usize::from(u16::MAX);
    let options = DecoderOptions::new_safe().set_strict_mode(true).set_max_width(limit).set_max_height(limit);
    let fail = |e: zune_jpeg::errors::DecodeErrors, context: &Context| {
        context.malformed("JPEG stream", "a whole and valid one", format!("{e:?}"))
    };
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(&file), options);
    decoder.decode_headers().map_err(|e| fail(e, context))?;
    let info = decoder.info().ok_or_else(|| context.malformed("JPEG header", "a size", "none"))?;
    let grid = Grid::image(info.width.into(), info.height.into()).map_err(|e| context.core(e))?;
    let possible = there.saturating_mul(MAX_PIXELS_PER_BYTE);
    if grid.len() as u64 > possible {
        return Err(context.malformed("JPEG size", format!("at most {possible} pixels"), grid.size_text()));
    }
    // One byte a sample, and the decoder's own coefficients of a progressive stream.
    crate::memory::require(grid.len() as u64 * 3 * 3, context)?;
    let (channels, space) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (Channels::Grey, ColorSpace::Luma),
        Some(ColorSpace::YCbCr | ColorSpace::RGB) => (Channels::Rgb, ColorSpace::RGB),
        other => {
            return Err(
                context.unsupported(format!("the colour space {other:?}"), "convert it to grey or RGB")
            );
        }
    };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let bytes = decoder.decode().map_err(|e| fail(e, context))?;
    let expected = grid.len() * channels.count();
    if bytes.len() != expected {
        return Err(context.malformed("JPEG samples", expected.to_string(), bytes.len()));
    }
    let samples = bytes.into_iter().map(f32::from).collect();
    let picture = Picture { grid, channels, opaque: 255.0, samples };
    let sample_type = format!("u8 × {}", channels.count());
    Ok(Decoded { content: Content::Image(picture.into_luminance(context)?), sample_type })
}

/// The offset behind the end marker that follows the scans (thumbnails in the segments before have their own).
fn end_of_stream(file: &[u8]) -> Option<usize> {
    let mut at = 2usize;
    loop {
        let segment = file.get(at..at.checked_add(4)?)?;
        if segment[0] != 0xff {
            return None;
        }
        if segment[1] == 0xff {
            at += 1;
            continue;
        }
        let length = usize::from(u16::from_be_bytes([segment[2], segment[3]]));
        at = at.checked_add(2)?.checked_add(length)?;
        if segment[1] == 0xda {
            break;
        }
    }
    let scans = file.get(at..)?;
    Some(at + scans.windows(2).position(|pair| pair == [0xff, 0xd9])? + 2)
}
