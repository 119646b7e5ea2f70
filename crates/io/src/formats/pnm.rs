//! Portable grey and colour maps: P2, P3 (text) and P5, P6 (binary), 8 and 16 bit.
//!
//! *Specification*: Netpbm, `pgm(5)` and `ppm(5)`; 16-bit samples are big-endian.
//! Samples keep the file's own scale (0 to `maxval`); colour becomes luminance ([`LUMA`](crate::read::luminance::LUMA)).
//! *Limits*: no bitmaps (P1, P4), one image a file.

use crate::content::Decoded;
use crate::error::Result;
use crate::format::{Format, Reader};
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element, Scaling, Stored};
use crate::read::luminance::{Channels, Picture, Samples};
use crate::read::source::Source;
use crate::text::encoding;
use crate::text::words::Words;
use crate::write::raster::{Depth, Raster};
use crate::write::target::Target;
use crate::write::whole_file::write_bytes;
use veloxel_core::{Grid, Volume, Warnings};

pub(super) static FORMAT: Format = Format {
    read_grid: Some(|mut source, context| {
        Ok(header(&encoding::unmarked(source.take_head(context)?, context)?, context)?.grid)
    }),
    write_image: Some(write),
    ..Format::picture("pnm", "PNM", &["pgm", "ppm", "pnm"], Reader::Whole(read))
};

/// What stands before the samples.
struct Header<'a> {
    channels: Channels,
    is_text: bool,
    grid: Grid,
    /// The sample of white.
    top: usize,
    /// What follows maxval.
    words: Words<'a>,
}

fn header<'a>(file: &'a [u8], context: &Context) -> Result<Header<'a>> {
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
    let mut words = Words::new(&file[2..], "the PNM file");
    let mut number = |name: &str| words.value(name, "a whole number", |_| true, context);
    let (nx, ny, top) = (number("width")?, number("height")?, number("maxval")?);
    context.require((1..=65535).contains(&top), "maxval", "1 to 65535", top)?;
    Ok(Header { channels, is_text, grid: context.picture_grid(nx, ny)?, top, words })
}

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let mut file = source.take_unmarked(context)?;
    if matches!(file.get(..2), Some(b"P2" | b"P3")) {
        file = encoding::plain(file, context)?;
    }
    let Header { channels, is_text, grid, top, words } = header(&file, context)?;
    let count = grid.len() * channels.count();
    let element = if top > 255 { Element::U16 } else { Element::U8 };
    let samples = if is_text {
        text_samples(words, count, context)?
    } else {
        // Exactly one white space stands between maxval and the samples.
        let stored = Stored { element, order: ByteOrder::Big, scaling: Scaling::NONE };
        let mut body = Source::from_bytes(words.rest().get(1..).unwrap_or_default());
        let samples = body.samples(count, stored, context)?;
        body.finish(context)?;
        samples
    };
    if let Some(above) = samples.iter().find(|&&v| v > top as f32) {
        return Err(context.malformed("sample", format!("at most maxval {top}"), above));
    }
    Picture { grid, channels, opaque: top as f32, samples: Samples::Floats(samples) }
        .decoded(element.name(), context)
}

fn text_samples(mut words: Words, count: usize, context: &mut Context) -> Result<Vec<f32>> {
    // Every sample takes a digit and a space at least.
    words.require(count, 2, context)?;
    let mut samples = context.room_for(count)?;
    for i in 0..count {
        let what = format_args!("sample {i} of {count}");
        let sample: usize = words.value(what, "a whole number", |_| true, context)?;
        samples.push(sample as f32);
    }
    words.finish(context);
    Ok(samples)
}

/// Writes P5, or P6 with three equal channels if the name ends in `.ppm`.
fn write(target: &Target, image: &Volume<f32>, warnings: &mut Warnings) -> Result<()> {
    let picture = Raster::quantised(target, image, warnings)?;
    let colour = target.path().extension().is_some_and(|e| e.eq_ignore_ascii_case("ppm"));
    let (magic, copies) = if colour { ("P6", 3) } else { ("P5", 1) };
    let (top, width) = match picture.depth {
        Depth::Eight => (255, 1),
        Depth::Sixteen => (65535, 2),
    };
    let [nx, ny] = picture.size;
    let mut bytes = format!("{magic}\n{nx} {ny}\n{top}\n").into_bytes();
    for row in picture.bytes.chunks_exact(width * nx) {
        target.check()?;
        match copies {
            1 => bytes.extend_from_slice(row),
            _ => row.chunks_exact(width).for_each(|sample| bytes.extend(sample.repeat(copies))),
        }
    }
    write_bytes(target, &bytes)
}
