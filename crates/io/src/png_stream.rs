//! PNG streams: decoded to the samples that they hold, and encoded from finished pictures.

use crate::context::Context;
use crate::error::IoError;
use crate::luminance::Channels;
use crate::memory;
use crate::quantise::Depth;
use crate::source::Source;
use std::io::Cursor;
use std::path::Path;
use veloxel_core::{Grid, WarningKind};

/// Deflate cannot expand further.
const MAX_RATIO: u64 = 1032;
/// The most output bytes that one stored byte becomes: eight 1-bit indices, each an RGBA colour.
const MAX_EXPANSION: u64 = 32;

/// A decoded stream: samples as they are stored, palettes and fewer than 8 bits expanded.
pub(crate) struct Decoded {
    pub grid: Grid,
    pub channels: Channels,
    pub depth: Depth,
    /// Interleaved; 16-bit samples as two big-endian bytes.
    pub bytes: Vec<u8>,
}

impl Decoded {
    pub fn values(&self) -> Vec<f32> {
        match self.depth {
            Depth::Eight => self.bytes.iter().map(|&b| f32::from(b)).collect(),
            Depth::Sixteen => {
                self.bytes.as_chunks().0.iter().map(|&b| f32::from(u16::from_be_bytes(b))).collect()
            }
        }
    }
}

pub(crate) fn decode(mut source: Source, context: &mut Context) -> Result<Decoded, IoError> {
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
    let grid = context.picture_grid(reader.info().width as usize, reader.info().height as usize)?;
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
    let depth = if info.bit_depth == png::BitDepth::Sixteen { Depth::Sixteen } else { Depth::Eight };
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
        context.note(WarningKind::Samples, "only the first frame of the animation was read");
    } else {
        // Reads the closing chunks: a file cut there is cut short all the same.
        reader.finish().map_err(|e| fail(e, context))?;
    }
    match end_of_stream(&file) {
        Some(end) if end < file.len() => context.trailing(Some((file.len() - end) as u64)),
        _ => {}
    }
    Ok(Decoded { grid, channels, depth, bytes })
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

/// The samples of a picture, row by row from the top, 8 bits each unless they say otherwise.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Pixels<'a> {
    /// One value.
    Grey(&'a [u8]),
    /// One value of 16 bits, high byte first.
    Grey16(&'a [u8]),
    /// Red, green, blue.
    Rgb(&'a [u8]),
    /// Red, green, blue of 16 bits, high byte first.
    Rgb16(&'a [u8]),
    /// Red, green, blue, opacity.
    Rgba(&'a [u8]),
    /// An index into colours of red, green, blue; entry 0 is transparent.
    Palette {
        /// Three bytes an entry, at most 256 entries.
        colours: &'a [u8],
        /// One byte a pixel.
        indices: &'a [u8],
    },
}

/// A PNG stream of a picture of `width · height` pixels.
///
/// # Errors
/// [`IoError::Malformed`] if a side is 0 or above 2³¹ − 1, or the samples have another length.
pub fn encode_picture(width: usize, height: usize, pixels: Pixels<'_>) -> Result<Vec<u8>, IoError> {
    use png::{BitDepth, ColorType};
    let malformed =
        |expected: String, got: String| IoError::malformed(Path::new("PNG"), "picture", expected, got);
    let (Ok(w @ 1..), Ok(h @ 1..)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(malformed("sides from 1 to 2^31 - 1".to_owned(), format!("{width} × {height}")));
    };
    let (colour, depth, samples) = match pixels {
        Pixels::Grey(samples) => (ColorType::Grayscale, BitDepth::Eight, samples),
        Pixels::Grey16(samples) => (ColorType::Grayscale, BitDepth::Sixteen, samples),
        Pixels::Rgb(samples) => (ColorType::Rgb, BitDepth::Eight, samples),
        Pixels::Rgb16(samples) => (ColorType::Rgb, BitDepth::Sixteen, samples),
        Pixels::Rgba(samples) => (ColorType::Rgba, BitDepth::Eight, samples),
        Pixels::Palette { indices, .. } => (ColorType::Indexed, BitDepth::Eight, indices),
    };
    let pixel_bytes = colour.samples() * depth as usize / 8;
    if width.checked_mul(height).and_then(|n| n.checked_mul(pixel_bytes)) != Some(samples.len()) {
        let got = samples.len().to_string();
        return Err(malformed(format!("{pixel_bytes} · {width} · {height} bytes"), got));
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, w, h);
    encoder.set_depth(depth);
    encoder.set_color(colour);
    encoder.set_compression(png::Compression::Balanced);
    if let Pixels::Palette { colours, .. } = pixels {
        encoder.set_palette(colours);
        encoder.set_trns(&[0u8][..]);
    }
    let refused = |e: png::EncodingError| malformed("what PNG can hold".to_owned(), e.to_string());
    let mut writer = encoder.write_header().map_err(refused)?;
    writer.write_image_data(samples).map_err(refused)?;
    writer.finish().map_err(refused)?;
    Ok(bytes)
}

/// Writes an RGB picture: `rgb` holds `width · height` interleaved triples, 8 bits each.
///
/// # Errors
/// As [`encode_picture`], and [`IoError::Write`]; nothing is left behind then.
pub fn write_rgb_png(path: &Path, width: usize, height: usize, rgb: &[u8]) -> Result<(), IoError> {
    crate::whole_file::write_bytes(path, &encode_picture(width, height, Pixels::Rgb(rgb))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_lengths_are_refused_and_palettes_have_their_hole() {
        assert!(matches!(encode_picture(2, 2, Pixels::Rgb(&[0; 11])), Err(IoError::Malformed { .. })));
        assert!(matches!(encode_picture(2, 1, Pixels::Grey16(&[0; 2])), Err(IoError::Malformed { .. })));
        assert!(matches!(encode_picture(0, 2, Pixels::Rgb(&[])), Err(IoError::Malformed { .. })));
        let png =
            encode_picture(2, 1, Pixels::Palette { colours: &[0, 0, 0, 9, 8, 7], indices: &[0, 1] }).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        assert_eq!(reader.info().trns.as_deref(), Some(&[0u8][..]));
        let mut indices = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut indices).unwrap();
        assert_eq!(indices, [0, 1]);
    }
}
