//! Portable grey and colour maps: P2, P3 (text) and P5, P6 (binary), 8 and 16 bit.
//!
//! *Specification*: Netpbm, `pgm(5)` and `ppm(5)`; 16-bit samples are big-endian.
//! Samples keep the file's own scale (0 to `maxval`); colour becomes luminance ([`crate::LUMA`]).
//! *Limits*: no bitmaps (P1, P4), one image a file.

use crate::content::Decoded;
use crate::context::Context;
use crate::element::{ByteOrder, Element, Scaling, Stored};
use crate::error::Result;
use crate::format::{Format, Reader};
use crate::luminance::{Channels, Picture, Samples};
use crate::memory;
use crate::raster::{Depth, Raster};
use crate::source::Source;
use crate::whole_file::write_bytes;
use std::path::Path;
use veloxel_core::{Grid, Volume, Warnings};

pub(super) static FORMAT: Format = Format {
    read_grid: Some(read_grid),
    write_image: Some(write),
    ..Format::picture("pnm", "PNM", &["pgm", "ppm", "pnm"], Reader::Whole(read))
};

/// What stands before the samples.
struct Header {
    channels: Channels,
    is_text: bool,
    grid: Grid,
    /// The sample of white.
    top: usize,
    /// The offset behind maxval.
    end: usize,
}

fn header(file: &[u8], context: &Context) -> Result<Header> {
    let (channels, is_text) = match file.get(..2) {
        Some(b"P2") => (Channels::Grey, true),
        Some(b"P3") => (Channels::Rgb, true),
        Some(b"P5") => (Channels::Grey, false),
        Some(b"P6") => (Channels::Rgb, false),
        Some(b"P1" | b"P4") => {
            return Err(context.unsupported("a bitmap (P1, P4)", "convert it to PGM or PNG"));
        }
        _ => return Err(context.malformed("PNM magic", "P2, P3, P5 or P6", "something else")),
    };
    let mut words = Words { bytes: file, at: 2 };
    let mut number = |name: &'static str| {
        words.number().ok_or_else(|| context.malformed(name, "a whole number", "none or too large a one"))
    };
    let (nx, ny, top) = (number("width")?, number("height")?, number("maxval")?);
    if !(1..=65535).contains(&top) {
        return Err(context.malformed("maxval", "1 to 65535", top));
    }
    Ok(Header { channels, is_text, grid: context.picture_grid(nx, ny)?, top, end: words.at })
}

fn read_grid(mut source: Source, context: &mut Context) -> Result<Grid> {
    Ok(header(&source.take_head(context)?, context)?.grid)
}

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let file = source.take_rest(context)?;
    let Header { channels, is_text, grid, top, end } = header(&file, context)?;
    let mut words = Words { bytes: &file, at: end };
    let count = grid.len() * channels.count();
    let element = if top > 255 { Element::U16 } else { Element::U8 };
    let samples = if is_text {
        words.samples(count, context)?
    } else {
        // Exactly one white space stands between maxval and the samples.
        let body = file.get(words.at + 1..).unwrap_or_default();
        let stored = Stored { element, order: ByteOrder::Big, scaling: Scaling::NONE };
        let mut body = Source::from_bytes(body);
        let samples = body.samples(count, stored, context)?;
        body.finish(context)?;
        samples
    };
    if let Some(above) = samples.iter().find(|&&v| v > top as f32) {
        return Err(context.malformed("sample", format!("at most maxval {top}"), above));
    }
    let sample_type = format!("{} × {}", element.name(), channels.count());
    Picture { grid, channels, opaque: top as f32, samples: Samples::Floats(samples) }
        .decoded(sample_type, context)
}

/// Words of text between white space and comments.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Words<'_> {
    /// The next word as a whole number; `at` is left right behind it.
    fn number(&mut self) -> Option<usize> {
        loop {
            match self.bytes.get(self.at)? {
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
                }
                c if c.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let rest = &self.bytes[self.at..];
        let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let value = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        self.at += digits;
        Some(value)
    }

    fn samples(&mut self, count: usize, context: &mut Context) -> Result<Vec<f32>> {
        // Every sample takes a digit and a space at least.
        let (needed, there) = (2 * count as u64 - 1, (self.bytes.len() - self.at) as u64);
        if needed > there {
            return Err(context.truncated("the sample data", needed, there));
        }
        let mut samples = memory::room_for(count, context)?;
        for i in 0..count {
            let value = self.number().ok_or_else(|| {
                context.malformed(format!("sample {i} of {count}"), "a whole number", "none")
            })?;
            samples.push(value as f32);
        }
        let rest = self.bytes[self.at..].iter().filter(|c| !c.is_ascii_whitespace()).count();
        if rest > 0 {
            context.trailing(Some(rest as u64));
        }
        Ok(samples)
    }
}

/// Writes P5, or P6 with three equal channels if the name ends in `.ppm`.
fn write(path: &Path, image: &Volume<f32>, warnings: &mut Warnings) -> Result<()> {
    let picture = Raster::quantised(path, image, warnings);
    let colour = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ppm"));
    let (magic, copies) = if colour { ("P6", 3) } else { ("P5", 1) };
    let (top, width) = match picture.depth {
        Depth::Eight => (255, 1),
        Depth::Sixteen => (65535, 2),
    };
    let [nx, ny] = picture.size;
    let mut bytes = format!("{magic}\n{nx} {ny}\n{top}\n").into_bytes();
    for sample in picture.bytes.chunks_exact(width) {
        (0..copies).for_each(|_| bytes.extend_from_slice(sample));
    }
    write_bytes(path, &bytes)
}
