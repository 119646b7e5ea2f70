//! TIFF pictures: 8, 16 and 32-bit integers and floats, grey or colour, tiled or in strips; several pages are frames.
//!
//! *Specification*: Adobe, "TIFF Revision 6.0", 1992; uncompressed, PackBits, LZW and deflate.
//! Samples keep the file's own scale; colour becomes luminance ([`crate::LUMA`]).
//! Written as one page of uncompressed 32-bit floats, which loses nothing.
//! *Limits*: no palettes, CMYK or YCbCr; resolution tags are not read: pictures count in pixels.

use crate::IoError;
use crate::content::{Content, Decoded};
use crate::context::Context;
use crate::luminance::{Channels, Picture};
use crate::memory;
use crate::source::Source;
use std::io::Cursor;
use std::path::Path;
use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{TiffEncoder, colortype::Gray32Float};
use veloxel_core::{Dimension, Grid, Sequence, Volume, WarningKind};

/// LZW can expand a little further than deflate: 4096-entry strings from 12 bits.
const MAX_RATIO: u64 = 2800;

pub(crate) fn read(mut source: Source, context: &mut Context) -> Result<Decoded, IoError> {
    let file = source.take_rest(context)?;
    let possible = (file.len() as u64).saturating_mul(MAX_RATIO);
    let limit = usize::try_from(possible).unwrap_or(usize::MAX);
    let mut limits = Limits::default();
    limits.decoding_buffer_size = limit;
    limits.intermediate_buffer_size = limit;
    limits.ifd_value_size = file.len();
    let mut decoder = Decoder::new(Cursor::new(file.as_slice()))
        .map_err(|e| failure(e, &file, context))?
        .with_limits(limits);
    let mut pages = Vec::new();
    let mut decoded = 0u64;
    loop {
        let (page, sample_type) = page(&mut decoder, &file, possible, context)?;
        // Pages may share their bytes, but not without end.
        decoded = decoded.saturating_add(page.data().len() as u64);
        if decoded > possible {
            return Err(context.malformed("pages", format!("at most {possible} samples"), "more"));
        }
        pages.push(page);
        if !decoder.more_images() {
            let content = match pages.len() {
                1 => pages.pop().map(Content::Image),
                _ => Some(Content::Sequence(Sequence::new(pages, None).map_err(|e| context.core(e))?)),
            };
            let content = content.ok_or_else(|| context.malformed("pages", "at least 1", 0))?;
            return Ok(Decoded { content, sample_type });
        }
        decoder.next_image().map_err(|e| failure(e, &file, context))?;
    }
}

fn page(
    decoder: &mut Decoder<Cursor<&[u8]>>,
    file: &[u8],
    possible: u64,
    context: &mut Context,
) -> Result<(Volume<f32>, String), IoError> {
    let (nx, ny) = decoder.dimensions().map_err(|e| failure(e, file, context))?;
    let grid = Grid::image(nx as usize, ny as usize).map_err(|e| context.core(e))?;
    let channels = match decoder.colortype().map_err(|e| failure(e, file, context))? {
        ColorType::Gray(_) => Channels::Grey,
        ColorType::GrayA(_) => Channels::GreyAlpha,
        ColorType::RGB(_) => Channels::Rgb,
        ColorType::RGBA(_) => Channels::Rgba,
        other => {
            return Err(
                context.unsupported(format!("TIFF colour type {other:?}"), "convert it to grey or RGB")
            );
        }
    };
    let count = grid.len() as u64 * channels.count() as u64;
    if count > possible {
        return Err(context.truncated("the image data", count, possible));
    }
    memory::require(count.saturating_mul(4), context)?;
    let result = decoder.read_image().map_err(|e| failure(e, file, context))?;
    let (samples, name, opaque) = floats(result, context)?;
    if samples.len() as u64 != count {
        return Err(context.malformed("samples", count.to_string(), samples.len()));
    }
    let sample_type = format!("{name} × {}", channels.count());
    Ok((Picture { grid, channels, opaque, samples }.into_luminance(context)?, sample_type))
}

fn floats(result: DecodingResult, context: &mut Context) -> Result<(Vec<f32>, &'static str, f32), IoError> {
    let mut rounded = |name: &str| {
        context.note(WarningKind::Samples, format!("{name} samples were rounded to 32-bit floats"));
    };
    Ok(match result {
        DecodingResult::U8(v) => (v.into_iter().map(f32::from).collect(), "u8", 255.0),
        DecodingResult::I8(v) => (v.into_iter().map(f32::from).collect(), "i8", 127.0),
        DecodingResult::U16(v) => (v.into_iter().map(f32::from).collect(), "u16", 65535.0),
        DecodingResult::I16(v) => (v.into_iter().map(f32::from).collect(), "i16", 32767.0),
        DecodingResult::U32(v) => {
            if v.iter().any(|&s| f64::from(s as f32) != f64::from(s)) {
                rounded("u32");
            }
            (v.into_iter().map(|s| s as f32).collect(), "u32", u32::MAX as f32)
        }
        DecodingResult::I32(v) => {
            if v.iter().any(|&s| f64::from(s as f32) != f64::from(s)) {
                rounded("i32");
            }
            (v.into_iter().map(|s| s as f32).collect(), "i32", i32::MAX as f32)
        }
        DecodingResult::F32(v) => (v, "f32", 1.0),
        DecodingResult::F64(v) => {
            if v.iter().any(|&s| f64::from(s as f32) != s && !s.is_nan()) {
                rounded("f64");
            }
            (v.into_iter().map(|s| s as f32).collect(), "f64", 1.0)
        }
        _ => return Err(context.unsupported("this TIFF sample type", "convert it to 32-bit floats")),
    })
}

fn failure(error: tiff::TiffError, file: &[u8], context: &Context) -> IoError {
    match error {
        tiff::TiffError::IoError(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            context.truncated("the TIFF stream", file.len() as u64 + 1, file.len() as u64)
        }
        tiff::TiffError::UnsupportedError(e) => {
            context.unsupported(e.to_string(), "convert it to plain grey or RGB")
        }
        other => context.malformed("TIFF stream", "a whole and valid one", other),
    }
}

/// Writes one page of 32-bit floats.
pub(crate) fn write(path: &Path, image: &Volume<f32>) -> Result<(), IoError> {
    let [nx, ny, _] = image.grid().size();
    let (Dimension::Two, Ok(nx), Ok(ny)) = (image.grid().dimension(), u32::try_from(nx), u32::try_from(ny))
    else {
        return Err(IoError::Unsupported {
            what: format!("an image of {} as TIFF", image.grid().size_text()),
            hint: "write volumes as .nii.gz, .mha or .nrrd",
            path: path.to_owned(),
        });
    };
    let mut bytes = Cursor::new(Vec::new());
    TiffEncoder::new(&mut bytes)
        .and_then(|mut encoder| encoder.write_image::<Gray32Float>(nx, ny, image.data()))
        .map_err(|e| IoError::Write { path: path.to_owned(), source: std::io::Error::other(e) })?;
    crate::write_bytes(path, bytes.get_ref())
}
