//! PNG pictures: 1 to 16 bit, grey, colour, palette, with or without alpha.
//!
//! *Specification*: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)", 2025.
//! Samples of fewer than 8 bits and palettes are expanded to 0..255, 16-bit samples keep 0..65535; colour becomes
//! luminance ([`LUMA`](crate::read::luminance::LUMA)). Gamma and colour profiles are left alone.
//! *Fields and disparities*: by KITTI's rules ([`kitti`]).
//! *Limits*: animations give their first frame; spacing (`pHYs`) is not read: pictures count in pixels.

mod filter;
mod kitti;
pub(crate) mod stream;

use crate::content::{ContentKind, Decoded};
use crate::error::Result;
use crate::format::{Format, Reader};
use crate::read::context::Context;
use crate::read::element::ByteOrder;
use crate::read::luminance::Picture;
use crate::read::source::Source;
use crate::read::upright;
use crate::write::raster::{Depth, Raster};
use veloxel_core::Grid;

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Image, ContentKind::Flow],
    read_grid: Some(read_grid),
    // Asked for as a field, a PNG need not look like one at first sight.
    read_flow: Some(kitti::read),
    read_disparity: Some(kitti::read_disparity),
    write_image: Some(|target, image, warnings| {
        stream::write(target, &Raster::quantised(target, image, warnings)?)
    }),
    write_rgb: Some(|target, [width, height], rgb| stream::write_rgb_png(target, width, height, rgb)),
    write_flow: Some(kitti::write),
    write_disparity: Some(kitti::write_disparity),
    ..Format::picture("png", "PNG", &["png"], Reader::Whole(read))
};

/// Width and height are the first words of the first chunk; EXIF data, which may exchange them, may lie behind the pixels.
fn read_grid(mut source: Source, context: &mut Context) -> Result<Grid> {
    let head = source.take_bytes("the header", 24, context)?;
    let word = |at: usize| ByteOrder::Big.number(&head[at..at + 4]) as usize;
    let is_header = head.starts_with(b"\x89PNG\r\n\x1a\n") && &head[12..16] == b"IHDR";
    context.require(is_header, "PNG stream", "a header (IHDR)", "something else")?;
    let size = [word(16), word(20), 1];
    let orientation = match context.reading.options.orient {
        true => {
            let rest = source.take_rest(context)?;
            stream::orientation(&[&head[..], &rest[..]].concat())
        }
        false => upright::UPRIGHT,
    };
    upright::shown_grid(size, orientation, context)
}

fn read(source: Source, context: &mut Context) -> Result<Decoded> {
    let (raster, orientation) = stream::decode_with_orientation(source, context)?;
    if kitti::looks_like_flow(&raster) {
        return kitti::flow(&raster, context);
    }
    let [nx, ny] = raster.size;
    let (opaque, bits) = match raster.depth {
        Depth::Eight => (255.0, "u8"),
        Depth::Sixteen => (65535.0, "u16"),
    };
    let (grid, channels) = (context.picture_grid(nx, ny)?, raster.channels);
    let orientation = upright::of_exif(orientation, context);
    let picture = Picture { grid, channels, opaque, samples: raster.into_samples() };
    upright::turned(picture, orientation, context)?.decoded(bits, context)
}
