//! PNG streams: decoded to the pixels that they hold, and written from pixels.

use super::filter::Rows;
use crate::asking::Asking;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::luminance::Channels;
use crate::read::source::Source;
use crate::read::upright;
use crate::write::raster::{Depth, Raster};
use crate::write::target::Target;
use crate::write::whole_file;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{Cursor, Error, Write};
use veloxel_core::{Control, WarningKind};

/// Deflate cannot expand further.
const MAX_RATIO: u64 = 1032;
/// The most output bytes that one stored byte becomes: eight 1-bit indices, each an RGBA colour.
const MAX_EXPANSION: u64 = 32;
/// Palettes are expanded.
const COLOUR_TYPES: [(png::ColorType, Channels); 4] = [
    (png::ColorType::Grayscale, Channels::Grey),
    (png::ColorType::GrayscaleAlpha, Channels::GreyAlpha),
    (png::ColorType::Rgb, Channels::Rgb),
    (png::ColorType::Rgba, Channels::Rgba),
];
/// A chunk counts its bytes in 31 bits.
const MOST_CHUNK_BYTES: usize = i32::MAX as usize;
/// What the decoder may keep beside the pixels: chunks, a row, its window.
const KEPT_BYTES: usize = 64 << 20;

/// The pixels of a stream: palettes and fewer than 8 bits expanded.
pub(crate) fn decode(source: Source, context: &mut Context) -> Result<Raster> {
    Ok(decode_with_orientation(source, context)?.0)
}

/// The pixels of a stream as they are stored, and how its EXIF data say that they lie.
pub(super) fn decode_with_orientation(mut source: Source, context: &mut Context) -> Result<(Raster, u16)> {
    let file = source.take_rest(context)?;
    let fail = |e: png::DecodingError, context: &Context| match e {
        png::DecodingError::IoError(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            context.truncated("the PNG stream", file.len() as u64 + 1, file.len() as u64)
        }
        other => context.malformed("PNG stream", "a whole and valid one", other),
    };
    check_chunks(&file, context)?;
    let asking = Asking::new(Cursor::new(&file), context.control());
    let mut decoder = png::Decoder::new_with_limits(asking, png::Limits { bytes: KEPT_BYTES });
    decoder.set_transformations(png::Transformations::EXPAND);
    // A megabyte of these becomes a gigabyte; neither says anything of the samples.
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_ignore_text_chunk(true);
    let mut reader = decoder.read_info().map_err(|e| fail(e, context))?;
    let grid = context.picture_grid(reader.info().width as usize, reader.info().height as usize)?;
    let needed = reader
        .output_buffer_size()
        .ok_or_else(|| context.malformed("PNG size", "one that fits in memory", grid.size_text()))?;
    let possible = (file.len() as u64).saturating_mul(MAX_RATIO).saturating_mul(MAX_EXPANSION);
    context.require_bytes("the PNG image data", needed as u64, possible)?;
    let mut bytes = context.room_for(needed)?;
    // As floats it is counted before it is decoded.
    let _floats = context.scratch(4 * grid.len() as u64)?;
    bytes.resize(needed, 0);
    let info = reader.next_frame(&mut bytes).map_err(|e| fail(e, context))?;
    bytes.truncate(info.buffer_size());
    let depth = if info.bit_depth == png::BitDepth::Sixteen { Depth::Sixteen } else { Depth::Eight };
    let found = COLOUR_TYPES.iter().find(|(colour, _)| *colour == info.color_type);
    let &(_, channels) =
        found.ok_or_else(|| context.malformed("PNG palette", "colours for its indices", "none"))?;
    if reader.info().animation_control.is_some_and(|a| a.num_frames > 1) {
        context.note(WarningKind::Samples, "only the first frame of the animation was read");
    } else {
        // Reads the closing chunks: a file cut there is cut short all the same.
        reader.finish().map_err(|e| fail(e, context))?;
    }
    let end = chunks(&file).find(|chunk| chunk.name == b"IEND").map_or(file.len(), |chunk| chunk.end);
    context.trailing(Some(file.len().saturating_sub(end) as u64));
    let [nx, ny, _] = grid.size();
    Ok((Raster { size: [nx, ny], channels, depth, bytes }, orientation(&file)))
}

/// How the EXIF data of a file say that its picture lies; 1 where there are none.
pub(super) fn orientation(file: &[u8]) -> u16 {
    const CHECKSUM_BYTES: usize = 4;
    let block = chunks(file).find(|chunk| chunk.name == b"eXIf").and_then(|chunk| {
        let end = chunk.end - CHECKSUM_BYTES;
        file.get(end - chunk.length..end)
    });
    block.map_or(upright::UPRIGHT, upright::in_exif)
}

/// The name of a chunk, its length, and the offset behind it.
struct Chunk<'a> {
    name: &'a [u8],
    length: usize,
    end: usize,
}

/// Chunks one after the other, as far as there are whole heads of them.
fn chunks(file: &[u8]) -> impl Iterator<Item = Chunk<'_>> {
    let mut at = 8usize;
    std::iter::from_fn(move || {
        let head = file.get(at..at.checked_add(8)?)?;
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        at = at.checked_add(length)?.checked_add(12)?;
        Some(Chunk { name: &head[4..], length, end: at })
    })
}

/// Refuses what the decoder takes for granted.
///
/// png 0.18.1 panics over a palette that is no list of triples (github.com/image-rs/image-png/issues/694).
fn check_chunks(file: &[u8], context: &Context) -> Result<()> {
    let is_broken = |chunk: &Chunk| chunk.name == b"PLTE" && !chunk.length.is_multiple_of(3);
    let length = chunks(file).find(is_broken).map_or(0, |chunk| chunk.length);
    context.require(length == 0, "PNG palette", "three bytes a colour", format!("{length} bytes"))
}

/// Writes a picture.
pub(crate) fn write(target: &Target, picture: &Raster) -> Result<()> {
    let bytes = encode(picture, target.files().control()).map_err(|e| target.fail()(e.into()))?;
    whole_file::write_bytes(target, &bytes)
}

fn encode(picture: &Raster, control: &Control) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    // The limits of grids are those of PNG as well.
    let [width, height] = picture.size.map(|side| side as u32);
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_depth(match picture.depth {
        Depth::Eight => png::BitDepth::Eight,
        Depth::Sixteen => png::BitDepth::Sixteen,
    });
    let colour = COLOUR_TYPES.iter().find(|(_, channels)| *channels == picture.channels);
    encoder.set_color(colour.map_or(png::ColorType::Rgba, |(colour, _)| *colour));
    let mut writer = encoder.write_header()?;
    for chunk in packed(picture, control)?.chunks(MOST_CHUNK_BYTES) {
        writer.write_chunk(png::chunk::IDAT, chunk)?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// The filtered rows, deflated; asks before every row whether to go on, which the encoder of the library does not.
fn packed(picture: &Raster, control: &Control) -> std::io::Result<Vec<u8>> {
    let sample_bytes = if picture.depth == Depth::Sixteen { 2 } else { 1 };
    let pixel_bytes = picture.channels.count() * sample_bytes;
    let row_bytes = picture.size[0] * pixel_bytes;
    let (first, mut filtered) = (vec![0; row_bytes], vec![0; row_bytes]);
    let mut above = &first[..];
    let mut packing = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in picture.bytes.chunks_exact(row_bytes.max(1)) {
        control.check().map_err(Error::other)?;
        let filter = Rows { row, above, pixel_bytes }.filter(&mut filtered);
        packing.write_all(&[filter])?;
        packing.write_all(&filtered)?;
        above = row;
    }
    packing.finish()
}

/// Writes an RGB picture: `rgb` holds `width · height` interleaved triples, 8 bits each.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) if `rgb` has another length; [`IoError::Write`](crate::IoError::Write), also for a picture without pixels; nothing is
/// left behind then.
pub fn write_rgb_png(target: impl Into<Target>, width: usize, height: usize, rgb: &[u8]) -> Result<()> {
    let target = &target.into();
    write(target, &Raster::rgb(target.path(), [width, height], rgb)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows, noise and slopes, so that every filter is the best one somewhere.
    fn raster(size: [usize; 2], channels: Channels, depth: Depth) -> Raster {
        let sample_bytes = if depth == Depth::Sixteen { 2 } else { 1 };
        let row_bytes = size[0] * channels.count() * sample_bytes;
        let mut state = 7u32;
        let byte = |at: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (x, y, noise) = (at % row_bytes, at / row_bytes, (state >> 24) as usize);
            (match y / 5 % 6 {
                0 => noise,
                1 => 3 * x,
                2 => 5 * (x % 7) + noise % 3,
                3 => x * x / 9 + 2 * y,
                4 => 2 * x + 3 * y + noise % 5,
                _ => 9,
            }) as u8
        };
        Raster { size, channels, depth, bytes: (0..row_bytes * size[1]).map(byte).collect() }
    }

    /// What the library's own encoder makes of a picture, all at once.
    fn of_library(picture: &Raster) -> Vec<u8> {
        let mut bytes = Vec::new();
        let [width, height] = picture.size.map(|side| side as u32);
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        let deep = picture.depth == Depth::Sixteen;
        encoder.set_depth(if deep { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
        let (colour, _) = COLOUR_TYPES.iter().find(|(_, channels)| *channels == picture.channels).unwrap();
        encoder.set_color(*colour);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&picture.bytes).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn rows_one_by_one_give_the_bytes_of_the_librarys_encoder() {
        for (_, channels) in COLOUR_TYPES {
            for depth in [Depth::Eight, Depth::Sixteen] {
                for size in [[1, 1], [1, 9], [33, 1], [61, 97], [300, 211]] {
                    let picture = raster(size, channels, depth);
                    let bytes = encode(&picture, &Control::default()).unwrap();
                    assert!(bytes == of_library(&picture), "{size:?} {channels:?} {depth:?}");
                }
            }
        }
    }
}
