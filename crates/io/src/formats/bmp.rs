//! Windows bitmaps: 1, 4 and 8 bit with a palette, 24 and 32 bit.
//!
//! *Specification*: Microsoft, "Bitmap Storage" (BITMAPCOREHEADER to BITMAPV5HEADER).
//! Palettes are expanded; colour becomes luminance ([`LUMA`](crate::read::luminance::LUMA)). The fourth byte of 32-bit pixels is no alpha by
//! the format's own rules and is left out.
//! *Limits*: uncompressed only (no run lengths, no 16-bit pixels, bit fields only in their usual order).

use crate::content::{Content, Decoded};
use crate::error::{IoError, Result};
use crate::format::{Format, Reader};
use crate::read::context::Context;
use crate::read::element::ByteOrder;
use crate::read::luminance::{Channels, Picture, Samples};
use crate::read::source::Source;
use crate::write::raster::Raster;
use crate::write::target::Target;
use crate::write::whole_file::write_bytes;
use veloxel_core::{Grid, Volume, Warnings};

pub(super) static FORMAT: Format = Format {
    read_grid: Some(|mut source, context| Ok(header(&source.take_head(context)?, context)?.grid)),
    write_image: Some(write),
    ..Format::picture("bmp", "BMP", &["bmp"], Reader::Whole(read))
};

const FILE_HEADER: usize = 14;
const CORE_HEADER: u32 = 12;
const INFO_HEADER: u32 = 40;
/// Length of both headers, as most files have them.
const LEAST_BYTES: u64 = 54;
const RGB: u32 = 0;
const BIT_FIELDS: u32 = 3;

struct Header {
    grid: Grid,
    top_down: bool,
    bits: u16,
    /// Blue, green, red.
    palette: Vec<[u8; 3]>,
    samples_at: usize,
}

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let file = source.take_rest(context)?;
    let header = header(&file, context)?;
    let (grid, bits) = (header.grid.clone(), header.bits);
    let [width, height, _] = grid.size();
    // Rows are padded to four bytes.
    let row_bytes = (width as u64 * u64::from(bits)).div_ceil(32) * 4;
    let needed = row_bytes.saturating_mul(height as u64);
    let there = file.len().saturating_sub(header.samples_at) as u64;
    context.require_bytes("the pixel data", needed, there)?;
    let body = &file[header.samples_at..];
    if there > needed + 3 {
        context.trailing(Some(there - needed));
    }
    // As floats it is counted before it is decoded.
    let floats = context.scratch(4 * grid.len() as u64)?;
    let mut samples = context.room_for::<u8>(3 * grid.len())?;
    for y in 0..height {
        context.check()?;
        let stored = if header.top_down { y } else { height - 1 - y };
        let row = &body[stored * row_bytes as usize..][..row_bytes as usize];
        for x in 0..width {
            let [b, g, r] = pixel(row, x, &header, context)?;
            samples.extend([r, g, b]);
        }
    }
    drop(floats);
    let samples = Samples::Bytes(samples);
    let picture = Picture { grid, channels: Channels::Rgb, opaque: 255.0, samples };
    let content = Content::Image(picture.into_luminance(context)?);
    Ok(Decoded { content, sample_type: format!("{bits} bit") })
}

fn pixel(row: &[u8], x: usize, header: &Header, context: &Context) -> Result<[u8; 3]> {
    let bits = usize::from(header.bits);
    if bits >= 24 {
        let at = x * bits / 8;
        return Ok([row[at], row[at + 1], row[at + 2]]);
    }
    let byte = row[x * bits / 8];
    let index = usize::from(byte >> (8 - bits - x * bits % 8)) & ((1 << bits) - 1);
    let colour = header.palette.get(index).copied();
    colour.ok_or_else(|| context.malformed("palette index", format!("below {}", header.palette.len()), index))
}

fn header(file: &[u8], context: &Context) -> Result<Header> {
    let is_bitmap = file.get(..2).is_none_or(|magic| magic == b"BM");
    context.require(is_bitmap, "BMP magic", "BM", "something else")?;
    let bytes = |at: usize, count: usize| {
        let bytes = file.get(at..at + count);
        bytes.ok_or_else(|| context.truncated("the BMP header", LEAST_BYTES, file.len() as u64))
    };
    let u16 = |at: usize| bytes(at, 2).map(|word| ByteOrder::Little.number(word) as u16);
    let u32 = |at: usize| bytes(at, 4).map(|word| ByteOrder::Little.number(word) as u32);
    let samples_at = u32(10)? as usize;
    let header_bytes = u32(FILE_HEADER)?;
    let core = header_bytes == CORE_HEADER;
    let is_known = core || (INFO_HEADER..=4096).contains(&header_bytes);
    context.require(is_known, "BMP header size", "12, or 40 and above", header_bytes)?;
    let (width, height, bits) = if core {
        (i32::from(u16(18)?), i32::from(u16(20)?), u16(24)?)
    } else {
        (u32(18)?.cast_signed(), u32(22)?.cast_signed(), u16(28)?)
    };
    let (compression, listed) = if core { (RGB, 0) } else { (u32(30)?, u32(46)?) };
    let is_known = matches!(bits, 1 | 4 | 8 | 24 | 32);
    context.support(is_known, format!("a BMP of {bits} bits a pixel"), "convert it to PNG")?;
    let usual_fields = || [54, 58, 62].map(|at| u32(at).ok()) == [0xff_0000, 0xff00, 0xff].map(Some);
    let is_plain = compression == RGB || (compression == BIT_FIELDS && bits == 32 && usual_fields());
    context.support(is_plain, format!("BMP compression {compression}"), "convert it to PNG")?;
    let has_pixels = width > 0 && height != 0 && height != i32::MIN;
    context.require(has_pixels, "BMP size", "at least 1 × 1 pixels", format!("{width} × {height}"))?;
    let mut palette = Vec::new();
    if bits <= 8 {
        let entry = if core { 3 } else { 4 };
        let count = if listed == 0 { 1 << bits } else { (listed as usize).min(1 << bits) };
        let at = FILE_HEADER + header_bytes as usize;
        let end = at + entry * count;
        context.require_bytes("the BMP palette", end as u64, file.len() as u64)?;
        palette = file[at..end].chunks_exact(entry).map(|c| [c[0], c[1], c[2]]).collect();
    }
    let grid = context.picture_grid(width.unsigned_abs() as usize, height.unsigned_abs() as usize)?;
    Ok(Header { grid, top_down: height < 0, bits, palette, samples_at })
}

/// Writes an 8-bit grey bitmap.
fn write(target: &Target, image: &Volume<f32>, warnings: &mut Warnings) -> Result<()> {
    let path = target.path();
    let picture = Raster::quantised(target, image, warnings)?;
    picture.require_eight_bits(path, "BMP")?;
    let [nx, ny] = picture.size;
    let row_bytes = nx.next_multiple_of(4);
    let samples_at = LEAST_BYTES as usize + 4 * 256;
    let Ok(total) = u32::try_from(row_bytes * ny + samples_at) else {
        let what = "a picture of this size in a BMP";
        return Err(IoError::unsupported(path, what, "write .png, .tif or .pgm"));
    };
    let mut bytes = b"BM".to_vec();
    for word in [total, 0, samples_at as u32, INFO_HEADER, nx as u32, ny as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(8u16.to_le_bytes());
    for word in [RGB, 0, 0, 0, 256, 0] {
        bytes.extend(u32::to_le_bytes(word));
    }
    bytes.extend((0..=255u8).flat_map(|v| [v, v, v, 0]));
    for row in picture.bytes.chunks_exact(nx).rev() {
        bytes.extend_from_slice(row);
        bytes.resize(bytes.len() + row_bytes - nx, 0);
    }
    write_bytes(target, &bytes)
}
