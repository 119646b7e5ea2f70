//! GIF: animations as frames over time, pictures as one.
//!
//! *Specification*: CompuServe, "Graphics Interchange Format, Version 89a", 1990.
//! Frames are drawn over each other as the file says (kept, cleared, or restored); what no frame has drawn is read as
//! black, with a warning. Colour becomes luminance ([`LUMA`](crate::read::luminance::LUMA)).
//! *Limits*: frames of up to 2^26 pixels; as one sequence up to 2^28 pixels in all (a stream of frames has no such
//! limit). The interval is that of the first frame; others are a warning. Written up to 65535 pixels a side.

mod reader;
mod writer;

use crate::content::ContentKind;
use crate::format::{Format, FormatPrecision, Limits, Reader};
use veloxel_core::Dimension;

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Image, ContentKind::Sequence],
    precision: FormatPrecision::Lossy,
    limits: Limits { dimension: Dimension::Two, side: u16::MAX as usize, hint: "write .y4m" },
    write_video: Some(writer::create),
    ..Format::picture("gif", "GIF", &["gif"], Reader::Frames(reader::open))
};
