//! PNG pictures: 1 to 16 bit, grey, colour, palette, with or without alpha.
//!
//! *Specification*: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)", 2025.
//! Samples of fewer than 8 bits and palettes are expanded to 0..255, 16-bit samples keep 0..65535; colour becomes
//! luminance ([`crate::LUMA`]). Gamma and colour profiles are left alone.
//! *Limits*: animations give their first frame; spacing (`pHYs`) is not read: pictures count in pixels.

use crate::IoError;
use crate::content::{Content, Decoded};
use crate::context::Context;
use crate::luminance::{Channels, Picture};
use crate::memory;
use crate::quantise::{Depth, Quantised};
use crate::source::Source;
use std::io::{Cursor, Write};
use std::path::Path;
use veloxel_core::{Grid, Volume, Warnings};

/// Deflate cannot expand further.
const MAX_RATIO: u64 = 1032;
/// The most output bytes that one stored byte becomes: eight 1-bit indices, each an RGBA colour.
const MAX_EXPANSION: u64 = 32;

/// Pixels as they are stored, before a reader decides between picture and flow.
pub(crate) struct Pixels {
    pub grid: Grid,
    pub channels: Channels,
    pub depth: Depth,
    /// Interleaved; 16-bit samples as two big-endian bytes.
    pub bytes: Vec<u8>,
}

impl Pixels {
    pub fn values(&self) -> Vec<f32> {
        match self.depth {
            Depth::Eight => self.bytes.iter().map(|&b| f32::from(b)).collect(),
            Depth::Sixteen => {
                self.bytes.as_chunks::<2>().0.iter().map(|&b| f32::from(u16::from_be_bytes(b))).collect()
            }
        }
    }
}

pub(crate) fn read(source: Source, context: &mut Context) -> Result<Decoded, IoError> {
    let pixels = pixels(source, context)?;
    if crate::kitti::looks_like_flow(&pixels) {
        return crate::kitti::from_pixels(&pixels, context);
    }
    let samples = pixels.values();
    let (opaque, bits) = match pixels.depth {
        Depth::Eight => (255.0, "u8"),
        Depth::Sixteen => (65535.0, "u16"),
    };
    let sample_type = format!("{bits} × {}", pixels.channels.count());
    let picture = Picture { grid: pixels.grid, channels: pixels.channels, opaque, samples };
    Ok(Decoded { content: Content::Image(picture.into_luminance(context)?), sample_type })
}

pub(crate) fn pixels(mut source: Source, context: &mut Context) -> Result<Pixels, IoError> {
    let file = source.take_rest(context)?;
    let fail = |e: png::DecodingError, context: &Context| match e {
        png::DecodingError::IoError(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            context.truncated("the PNG stream", file.len() as u64 + 1, file.len() as u64)
        }
        other => context.malformed("PNG stream", "a whole and valid one", other),
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(&file), png::Limits { bytes: usize::MAX });
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|e| fail(e, context))?;
    let (nx, ny) = (reader.info().width as usize, reader.info().height as usize);
    let grid = Grid::image(nx, ny).map_err(|e| context.core(e))?;
    let needed = reader
        .output_buffer_size()
        .ok_or_else(|| context.malformed("PNG size", "one that fits in memory", grid.size_text()))?;
    let possible = (file.len() as u64).saturating_mul(MAX_RATIO).saturating_mul(MAX_EXPANSION);
    if needed as u64 > possible {
        return Err(context.truncated("the PNG image data", needed as u64, possible));
    }
    memory::require(needed as u64, context)?;
    let mut bytes = vec![0; needed];
    let info = reader.next_frame(&mut bytes).map_err(|e| fail(e, context))?;
    bytes.truncate(info.buffer_size());
    let depth = match info.bit_depth {
        png::BitDepth::Sixteen => Depth::Sixteen,
        _ => Depth::Eight,
    };
    let channels = match info.color_type {
        png::ColorType::Grayscale => Channels::Grey,
        png::ColorType::GrayscaleAlpha => Channels::GreyAlpha,
        png::ColorType::Rgb => Channels::Rgb,
        png::ColorType::Rgba => Channels::Rgba,
        png::ColorType::Indexed => {
            return Err(context.malformed("PNG palette", "colours for its indices", "none"));
        }
    };
    if reader.info().animation_control.is_some_and(|a| a.num_frames > 1) {
        context.note(veloxel_core::WarningKind::Samples, "only the first frame of the animation was read");
    } else {
        // Reads the closing chunks: a file cut there is cut short all the same.
        reader.finish().map_err(|e| fail(e, context))?;
    }
    match end_of_stream(&file) {
        Some(end) if end < file.len() => context.trailing(Some((file.len() - end) as u64)),
        _ => {}
    }
    Ok(Pixels { grid, channels, depth, bytes })
}

/// The offset after the closing `IEND` chunk.
fn end_of_stream(file: &[u8]) -> Option<usize> {
    let mut at = 8usize;
    loop {
        let head = file.get(at..at.checked_add(8)?)?;
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        at = at.checked_add(length)?.checked_add(12)?;
        if &head[4..] == b"IEND" {
            return Some(at);
        }
    }
}

pub(crate) fn write(path: &Path, image: &Volume<f32>, warnings: &mut Warnings) -> Result<(), IoError> {
    let quantised = Quantised::new(path, image, warnings)?;
    let depth = match quantised.depth {
        Depth::Eight => png::BitDepth::Eight,
        Depth::Sixteen => png::BitDepth::Sixteen,
    };
    let bytes = encode(quantised.size, (png::ColorType::Grayscale, depth), &quantised.big_endian_bytes())
        .map_err(|source| IoError::Write { path: path.to_owned(), source })?;
    crate::write_bytes(path, &bytes)
}

/// One PNG stream; the samples must have the length that size and type ask for.
pub(crate) fn encode(
    [width, height]: [u32; 2],
    (color, depth): (png::ColorType, png::BitDepth),
    samples: &[u8],
) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(samples)?;
    writer.finish()?;
    out.flush()?;
    Ok(out)
}

/// A PNG stream of an RGB picture: `rgb` holds `width · height` interleaved triples, 8 bits each.
///
/// # Errors
/// [`IoError::Malformed`] if a side is 0 or above 2³¹ − 1, or `rgb` has another length.
pub fn encode_rgb_png(width: usize, height: usize, rgb: &[u8]) -> Result<Vec<u8>, IoError> {
    let malformed = |expected: String, got: String| IoError::Malformed {
        what: "picture".to_owned(),
        expected,
        got,
        path: "PNG".into(),
    };
    let (Ok(w @ 1..), Ok(h @ 1..)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(malformed("sides from 1 to 2^31 - 1".to_owned(), format!("{width} × {height}")));
    };
    if width.checked_mul(height).and_then(|n| n.checked_mul(3)) != Some(rgb.len()) {
        return Err(malformed(format!("3 · {width} · {height} bytes"), rgb.len().to_string()));
    }
    encode([w, h], (png::ColorType::Rgb, png::BitDepth::Eight), rgb)
        .map_err(|e| malformed("what PNG can hold".to_owned(), e.to_string()))
}

/// Writes an RGB picture: `rgb` holds `width · height` interleaved triples, 8 bits each.
///
/// # Errors
/// As [`encode_rgb_png`], and [`IoError::Write`]; nothing is left behind then.
pub fn write_rgb_png(path: &Path, width: usize, height: usize, rgb: &[u8]) -> Result<(), IoError> {
    crate::write_bytes(path, &encode_rgb_png(width, height, rgb)?)
}
