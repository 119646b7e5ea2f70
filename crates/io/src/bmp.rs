//! Windows bitmaps: 1, 4 and 8 bit with a palette, 24 and 32 bit.
//!
//! *Specification*: Microsoft, "Bitmap Storage" (BITMAPCOREHEADER to BITMAPV5HEADER).
//! Palettes are expanded; colour becomes luminance ([`crate::LUMA`]). The fourth byte of 32-bit pixels is no alpha by
//! the format's own rules and is left out.
//! *Limits*: uncompressed only (no run lengths, no 16-bit pixels, bit fields only in their usual order).

use crate::IoError;
use crate::content::{Content, Decoded};
use crate::context::Context;
use crate::luminance::{Channels, Picture};
use crate::memory;
use crate::quantise::{Depth, Quantised};
use crate::source::Source;
use std::path::Path;
use veloxel_core::{Grid, Volume, Warnings};

const FILE_HEADER: usize = 14;
const CORE_HEADER: u32 = 12;
const INFO_HEADER: u32 = 40;
const RGB: u32 = 0;
const BIT_FIELDS: u32 = 3;

struct Header {
    width: usize,
    height: usize,
    top_down: bool,
    bits: u16,
    /// Blue, green, red.
    palette: Vec<[u8; 3]>,
    samples_at: usize,
}

pub(crate) fn read(mut source: Source, context: &mut Context) -> Result<Decoded, IoError> {
    let file = source.take_rest(context)?;
    let header = header(&file, context)?;
    let Header { width, height, bits, .. } = header;
    let grid = Grid::image(width, height).map_err(|e| context.core(e))?;
    // Rows are padded to four bytes.
    let row_bytes = (width as u64 * u64::from(bits)).div_ceil(32) * 4;
    let needed = row_bytes.saturating_mul(height as u64);
    let there = file.len().saturating_sub(header.samples_at) as u64;
    if needed > there {
        return Err(context.truncated("the pixel data", needed, there));
    }
    let body = &file[header.samples_at..];
    if there > needed + 3 {
        context.trailing(Some(there - needed));
    }
    let mut samples = memory::room_for::<f32>(3 * grid.len(), context)?;
    for y in 0..height {
        let stored = if header.top_down { y } else { height - 1 - y };
        let row = &body[stored * row_bytes as usize..][..row_bytes as usize];
        for x in 0..width {
            let [b, g, r] = pixel(row, x, &header, context)?;
            samples.extend([r, g, b].map(f32::from));
        }
    }
    let picture = Picture { grid, channels: Channels::Rgb, opaque: 255.0, samples };
    Ok(Decoded {
        content: Content::Image(picture.into_luminance(context)?),
        sample_type: format!("{bits} bit"),
    })
}

fn pixel(row: &[u8], x: usize, header: &Header, context: &Context) -> Result<[u8; 3], IoError> {
    let bits = usize::from(header.bits);
    if bits >= 24 {
        let at = x * bits / 8;
        return Ok([row[at], row[at + 1], row[at + 2]]);
    }
    let byte = row[x * bits / 8];
    let index = usize::from(byte >> (8 - bits - x * bits % 8)) & ((1 << bits) - 1);
    header
        .palette
        .get(index)
        .copied()
        .ok_or_else(|| context.malformed("palette index", format!("below {}", header.palette.len()), index))
}

fn header(file: &[u8], context: &Context) -> Result<Header, IoError> {
    let short = || context.truncated("the BMP header", (FILE_HEADER + 40) as u64, file.len() as u64);
    let u16_at = |at: usize| Some(u16::from_le_bytes(file.get(at..at + 2)?.try_into().ok()?));
    let u32_at = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
    if file.get(..2).is_some_and(|magic| magic != b"BM") {
        return Err(context.malformed("BMP magic", "BM", "something else"));
    }
    let samples_at = u32_at(10).ok_or_else(short)? as usize;
    let header_bytes = u32_at(FILE_HEADER).ok_or_else(short)?;
    let core = header_bytes == CORE_HEADER;
    if !core && !(INFO_HEADER..=4096).contains(&header_bytes) {
        return Err(context.malformed("BMP header size", "12, or 40 and above", header_bytes));
    }
    let (width, height, bits) = if core {
        let side = |at| u16_at(at).map(i32::from).ok_or_else(short);
        (side(18)?, side(20)?, u16_at(24).ok_or_else(short)?)
    } else {
        let side = |at| u32_at(at).map(u32::cast_signed).ok_or_else(short);
        (side(18)?, side(22)?, u16_at(28).ok_or_else(short)?)
    };
    let (compression, listed) =
        if core { (RGB, 0) } else { (u32_at(30).ok_or_else(short)?, u32_at(46).ok_or_else(short)?) };
    if !matches!(bits, 1 | 4 | 8 | 24 | 32) {
        return Err(context.unsupported(format!("a BMP of {bits} bits a pixel"), "convert it to PNG"));
    }
    let usual_fields = || [54, 58, 62].map(u32_at) == [Some(0xff_0000), Some(0xff00), Some(0xff)];
    if compression != RGB && !(compression == BIT_FIELDS && bits == 32 && usual_fields()) {
        return Err(context.unsupported(format!("BMP compression {compression}"), "convert it to PNG"));
    }
    if width <= 0 || height == 0 || height == i32::MIN {
        return Err(context.malformed("BMP size", "at least 1 × 1 pixels", format!("{width} × {height}")));
    }
    let mut palette = Vec::new();
    if bits <= 8 {
        let entry = if core { 3 } else { 4 };
        let count = if listed == 0 { 1 << bits } else { (listed as usize).min(1 << bits) };
        let at = FILE_HEADER + header_bytes as usize;
        let table = file.get(at..at + entry * count).ok_or_else(|| {
            context.truncated("the BMP palette", (at + entry * count) as u64, file.len() as u64)
        })?;
        palette = table.chunks_exact(entry).map(|c| [c[0], c[1], c[2]]).collect();
    }
    Ok(Header {
        width: width.unsigned_abs() as usize,
        height: height.unsigned_abs() as usize,
        top_down: height < 0,
        bits,
        palette,
        samples_at,
    })
}

/// Writes an 8-bit grey bitmap.
pub(crate) fn write(path: &Path, image: &Volume<f32>, warnings: &mut Warnings) -> Result<(), IoError> {
    let unsupported = |what: &str| IoError::Unsupported {
        what: what.to_owned(),
        hint: "write it as .png, .tif or .pgm",
        path: path.to_owned(),
    };
    let quantised = Quantised::new(path, image, warnings)?;
    if quantised.depth == Depth::Sixteen {
        return Err(unsupported("a value above 255 in a BMP"));
    }
    let [nx, ny] = quantised.size;
    let row_bytes = u64::from(nx).div_ceil(4) * 4;
    let samples_at = (FILE_HEADER + 40 + 4 * 256) as u64;
    let total = row_bytes * u64::from(ny) + samples_at;
    let (Ok(total), Ok(width), Ok(height)) = (u32::try_from(total), i32::try_from(nx), i32::try_from(ny))
    else {
        return Err(unsupported("a picture of this size in a BMP"));
    };
    let mut bytes = b"BM".to_vec();
    for word in [total, 0, samples_at as u32, INFO_HEADER, width.cast_unsigned(), height.cast_unsigned()] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(8u16.to_le_bytes());
    for word in [RGB, 0, 0, 0, 256, 0] {
        bytes.extend(u32::to_le_bytes(word));
    }
    bytes.extend((0..=255u8).flat_map(|v| [v, v, v, 0]));
    for row in quantised.big_endian_bytes().chunks_exact(nx as usize).rev() {
        bytes.extend_from_slice(row);
        bytes.resize(bytes.len() + row_bytes as usize - row.len(), 0);
    }
    crate::write_bytes(path, &bytes)
}
