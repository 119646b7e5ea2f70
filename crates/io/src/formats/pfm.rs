//! Portable float maps: grey (`Pf`) pictures and disparities, and flow as three channels (`PF`: u, v, unused).
//!
//! *Specification*: Paul Debevec's PFM page; Scharstein et al., Middlebury Stereo v3 (disparity, +inf unknown);
//! Mayer et al., "A Large Dataset to Train Convolutional Networks for Disparity, Optical Flow, and Scene Flow
//! Estimation", CVPR 2016, doi:10.1109/CVPR.2016.438 (three-channel flow).
//! Rows run from bottom to top in the file; a negative scale means little-endian. The scale's size is left alone.
//! *Invalid*: infinity in the file, NaN in memory; NaN in the file stays NaN.
//! *Limits*: 2-D; three channels are always flow.

use crate::content::{Content, ContentKind, Decoded};
use crate::error::Result;
use crate::format::{Format, FormatPrecision, Reader};
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Stored};
use crate::read::source::Source;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use veloxel_core::Grid;

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Image, ContentKind::Flow],
    precision: FormatPrecision::Float,
    read_grid: Some(|mut source, context| Ok(header(&mut source, context)?.grid)),
    // An unknown sample is infinity in the file.
    write_image: Some(|target, image, _| write(target, image.grid(), "Pf", |i| [image.data()[i]])),
    write_flow: Some(|target, flow| {
        write(target, flow.grid(), "PF", |i| {
            let [u, v, _] = flow.vector_vox(i);
            if flow.is_valid(i) { [u, v, 0.0] } else { [f32::NAN, f32::NAN, 0.0] }
        })
    }),
    ..Format::picture("pfm", "PFM", &["pfm"], Reader::Whole(read))
};

const LINE_LIMIT: usize = 256;

/// What stands before the samples.
struct Header {
    channels: usize,
    grid: Grid,
    order: ByteOrder,
}

fn header(source: &mut Source, context: &Context) -> Result<Header> {
    const HEADER: &str = "magic, width, height and scale";
    let mut words = Vec::new();
    source.begin_header(context)?;
    // Most writers use three lines.
    while words.len() < 4 {
        let Some(line) = source.line(LINE_LIMIT, context)? else {
            return Err(context.malformed("PFM header", HEADER, "the end of the file"));
        };
        words.extend(line.split_whitespace().map(str::to_owned));
    }
    let [magic, width, height, scale] = &words[..] else {
        return Err(context.malformed("PFM header", HEADER, words.join(" ")));
    };
    let channels = match magic.as_str() {
        "Pf" => 1,
        "PF" => 3,
        other => return Err(context.malformed("PFM magic", "Pf or PF", other)),
    };
    let side = |name: &str, word: &String| {
        word.parse::<usize>().map_err(|_| context.malformed(name, "a whole number", word))
    };
    let grid = context.picture_grid(side("width", width)?, side("height", height)?)?;
    let order = match scale.parse::<f64>() {
        Ok(s) if s < 0.0 => ByteOrder::Little,
        Ok(s) if s > 0.0 => ByteOrder::Big,
        _ => return Err(context.malformed("scale", "a number other than 0", scale)),
    };
    Ok(Header { channels, grid, order })
}

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let Header { channels, grid, order } = header(&mut source, context)?;
    let samples = source.samples(channels * grid.len(), Stored { order, ..Stored::F32 }, context)?;
    source.finish(context)?;
    let rows = samples.chunks_exact(channels * grid.size()[0]).rev();
    let value = |stored: f32| if stored.is_infinite() { f32::NAN } else { stored };
    let sample_type = format!("f32 × {channels}");
    if channels == 3 {
        let vectors = rows.flat_map(|row| row.as_chunks::<3>().0).map(|&[u, v, _]| [value(u), value(v)]);
        return Decoded::flow(grid, vectors, &sample_type, context);
    }
    let mut values = context.room_for(grid.len())?;
    for row in rows {
        context.check()?;
        values.extend(row.iter().map(|&stored| value(stored)));
    }
    Ok(Decoded { content: Content::Image(context.volume(grid, values)?), sample_type })
}

fn write<const N: usize>(
    target: &Target,
    grid: &Grid,
    magic: &str,
    pixel: impl Fn(usize) -> [f32; N],
) -> Result<()> {
    let [nx, ny, _] = grid.size();
    whole_file::write(target, |file| {
        write!(file, "{magic}\n{nx} {ny}\n-1.0\n")?;
        for y in (0..ny).rev() {
            for value in (y * nx..(y + 1) * nx).flat_map(&pixel) {
                let stored = if value.is_nan() { f32::INFINITY } else { value };
                file.write_all(&stored.to_le_bytes())?;
            }
        }
        Ok(())
    })
}
