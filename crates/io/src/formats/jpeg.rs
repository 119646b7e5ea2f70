//! JPEG pictures, baseline and progressive, 8 bit.
//!
//! *Specification*: ITU-T T.81. Colour becomes luminance ([`LUMA`](crate::read::luminance::LUMA)) after the decoder's YCbCr to RGB.
//! A stream without its end marker is cut short: an error, though a decoder could fill the rest with grey.
//! Written baseline at [`JPEG_QUALITY`], colour without coarser chroma. That loses samples, so it is for pictures that are
//! looked at: what is measured (fields, disparities, confidence, labels) does not go there.
//! *Limits*: no CMYK; EXIF's orientation is told, or applied where that is asked for; written up to 65535 pixels a side.

use crate::asking::Asking;
use crate::content::Decoded;
use crate::error::{IoError, Result};
use crate::format::{Format, FormatPrecision, Limits, Reader};
use crate::read::context::Context;
use crate::read::luminance::{Channels, Picture, Samples};
use crate::read::source::Source;
use crate::read::upright;
use crate::write::raster::Raster;
use crate::write::target::Target;
use crate::write::whole_file;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use std::io::{BufWriter, Cursor, Error};
use veloxel_core::{Dimension, Grid, Volume, WarningKind, Warnings};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

const MAX_SIDE: usize = u16::MAX as usize;
const LARGER: &str = "write .png or .tif";

pub(super) static FORMAT: Format = Format {
    precision: FormatPrecision::Lossy,
    limits: Limits { dimension: Dimension::Two, side: MAX_SIDE, hint: LARGER },
    read_grid: Some(read_grid),
    write_image: Some(write),
    write_rgb: Some(|target, [width, height], rgb| write_rgb_jpeg(target, width, height, rgb)),
    ..Format::picture("jpeg", "JPEG", &["jpg", "jpeg"], Reader::Whole(read))
};

/// The quality that JPEG is written with, of 100: smooth samples come back within about 2 of 255.
pub(crate) const JPEG_QUALITY: u8 = 95;

/// Bytes of a stream that are coded, or decoded, between two questions whether to go on.
const BLOCK_BYTES: usize = 1 << 14;

/// An 8 × 8 block takes one bit at least.
const MAX_PIXELS_PER_BYTE: u64 = 512;

fn read_grid(mut source: Source, context: &mut Context) -> Result<Grid> {
    let mut decoder = JpegDecoder::new(Cursor::new(source.take_head(context)?));
    let header = decoder.decode_headers().map_err(|e| format!("{e:?}"));
    match header.map(|()| decoder.info()) {
        Ok(Some(info)) => {
            let size = [info.width.into(), info.height.into(), 1];
            let orientation = decoder.exif().map_or(upright::UPRIGHT, |exif| upright::in_exif(exif));
            upright::shown_grid(size, upright::of_exif(orientation, context), context)
        }
        other => Err(context.malformed("JPEG header", "a size", other.err().unwrap_or_default())),
    }
}

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let file = source.take_rest(context)?;
    let there = file.len() as u64;
    context.require(file.starts_with(&[0xff, 0xd8]), "JPEG magic", "FF D8", "something else")?;
    let Some(end) = end_of_stream(&file) else {
        return Err(context.truncated("the JPEG stream", there + 2, there));
    };
    context.trailing(Some((file.len() - end) as u64));
    require_known_process(&file, context)?;
    let options = DecoderOptions::new_safe().set_strict_mode(true);
    let options = options.set_max_width(MAX_SIDE).set_max_height(MAX_SIDE);
    let fail = |e: zune_jpeg::errors::DecodeErrors, context: &Context| {
        context.malformed("JPEG stream", "a whole and valid one", format!("{e:?}"))
    };
    let asking = Asking::new(Cursor::new(&file), context.control()).every(BLOCK_BYTES);
    let mut decoder = JpegDecoder::new_with_options(asking, options);
    decoder.decode_headers().map_err(|e| fail(e, context))?;
    let info = decoder.info().ok_or_else(|| context.malformed("JPEG header", "a size", "none"))?;
    let grid = context.picture_grid(info.width.into(), info.height.into())?;
    let possible = there.saturating_mul(MAX_PIXELS_PER_BYTE);
    let (is_possible, expected) = (grid.len() as u64 <= possible, format!("at most {possible} pixels"));
    context.require(is_possible, "JPEG size", expected, grid.size_text())?;
    // One byte a sample, and the decoder's own coefficients of a progressive stream; then floats.
    context.claim(grid.len() as u64 * 3)?;
    let decoding = context.scratch(grid.len() as u64 * 3 * 2)?;
    let (channels, space) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (Channels::Grey, ColorSpace::Luma),
        Some(ColorSpace::YCbCr | ColorSpace::RGB) => (Channels::Rgb, ColorSpace::RGB),
        other => {
            let name = other.map_or_else(|| "none".to_owned(), |space| format!("{space:?}"));
            return Err(context.unsupported(format!("the colour space {name}"), "convert it to grey or RGB"));
        }
    };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let bytes = decoder.decode().map_err(|e| fail(e, context))?;
    let expected = grid.len() * channels.count();
    context.require(bytes.len() == expected, "JPEG samples", expected.to_string(), bytes.len())?;
    drop(decoding);
    let orientation = decoder.exif().map_or(upright::UPRIGHT, |exif| upright::in_exif(exif));
    let orientation = upright::of_exif(orientation, context);
    let picture = Picture { grid, channels, opaque: 255.0, samples: Samples::Bytes(bytes) };
    upright::turned(picture, orientation, context)?.decoded("u8", context)
}

/// Refuses, by its name, a way of coding that is neither baseline nor progressive, or other samples than those of 8 bits.
fn require_known_process(file: &[u8], context: &Context) -> Result<()> {
    let mut at = 2usize;
    while let Some(&[0xff, marker, high, low]) = file.get(at..at + 4) {
        let name = match marker {
            // A filling byte.
            0xff => {
                at += 1;
                continue;
            }
            0xda => break,
            0xc3 => Some("lossless JPEG"),
            0xc5..=0xc7 => Some("hierarchical JPEG"),
            0xc9..=0xcb | 0xcd..=0xcf => Some("arithmetic coding of JPEG"),
            0xf7 => Some("JPEG-LS"),
            _ => None,
        };
        let hint = "convert it to PNG, or to a baseline JPEG of 8 bits";
        if let Some(name) = name {
            return Err(context.unsupported(name, hint));
        }
        if let (0xc0..=0xc2, Some(&bits)) = (marker, file.get(at + 4))
            && bits != 8
        {
            return Err(context.unsupported(format!("a JPEG of {bits} bits a sample"), hint));
        }
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
    Ok(())
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

fn write(target: &Target, image: &Volume<f32>, warnings: &mut Warnings) -> Result<()> {
    let path = target.path();
    let picture = Raster::quantised(target, image, warnings)?;
    picture.require_eight_bits(path, "JPEG")?;
    encode(target, &picture)?;
    let changes =
        format!("JPEG of quality {JPEG_QUALITY} changes samples a little (.png and .tif keep them)");
    warnings.push(WarningKind::Note, format!("{}: {changes}", path.display()));
    Ok(())
}

/// Writes an RGB picture at quality 95: `rgb` holds `width · height` interleaved triples, 8 bits each.
///
/// # Errors
/// [`IoError::Malformed`] if `rgb` has another length; [`IoError::Unsupported`] for a side of 0 or above 65535;
/// [`IoError::Write`]. Nothing is left behind then.
pub fn write_rgb_jpeg(target: impl Into<Target>, width: usize, height: usize, rgb: &[u8]) -> Result<()> {
    let target = &target.into();
    encode(target, &Raster::rgb(target.path(), [width, height], rgb)?)
}

/// Writes a picture of 8 bits, grey or RGB.
fn encode(target: &Target, picture: &Raster) -> Result<()> {
    let path = target.path();
    let [Ok(width @ 1..), Ok(height @ 1..)] = picture.size.map(u16::try_from) else {
        let what = format!("a JPEG of {} × {} pixels", picture.size[0], picture.size[1]);
        return Err(IoError::unsupported(path, what, LARGER));
    };
    let mut bytes = Asking::new(Vec::new(), target.files().control());
    // What the encoder gives out in small pieces is asked for in larger ones.
    let mut encoder = Encoder::new(BufWriter::with_capacity(BLOCK_BYTES, &mut bytes), JPEG_QUALITY);
    encoder.set_sampling_factor(SamplingFactor::R_4_4_4);
    let colour = if picture.channels == Channels::Grey { ColorType::Luma } else { ColorType::Rgb };
    let encoded = encoder.encode(&picture.bytes, width, height, colour);
    encoded.map_err(|e| target.fail()(Error::other(e.to_string())))?;
    whole_file::write_bytes(target, &bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, read_bytes};
    use veloxel_core::Warnings;

    #[test]
    fn ways_of_coding_that_are_not_read_are_named() {
        // A frame's head with a marker and a number of bits, an empty scan, the end.
        let stream = |marker: u8, bits: u8| {
            let head = [0xff, 0xd8, 0xff, marker, 0, 11, bits, 0, 1, 0, 1, 1, 1, 0x11, 0];
            let bytes = [&head[..], &[0xff, 0xda, 0, 2, 0xff, 0xd9]].concat();
            let read = read_bytes("a.jpg".as_ref(), &bytes[..], Strictness::Lenient, &mut Warnings::new());
            read.err().map(|error| error.to_string()).unwrap_or_default()
        };
        for (marker, bits, name) in [
            (0xc3, 8, "lossless JPEG"),
            (0xc9, 8, "arithmetic coding"),
            (0xf7, 8, "JPEG-LS"),
            (0xc1, 12, "12 bits a sample"),
        ] {
            let said = stream(marker, bits);
            assert!(said.contains(name) && said.contains("not supported"), "{said}");
        }
        assert!(!stream(0xc0, 8).contains("not supported"));
    }
}
