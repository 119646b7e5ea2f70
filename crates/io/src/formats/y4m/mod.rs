//! Y4M: uncompressed video as pipes carry it, frame by frame.
//!
//! *Specification*: the YUV4MPEG2 stream of MJPEG tools (`man yuv4mpeg`), with the high bit depths that ffmpeg adds.
//! Every colour space is read (`mono`, `420` in all its sitings, `411`, `422`, `444`, `444alpha`; 9 to 16 bits as
//! `mono10`, `420p10`, …), and only its luma is kept: 8 bits give 0..255, 10 bits 0..1023. Video range (16 to 235), which the
//! tag `XCOLORRANGE=LIMITED` says and players take an unmarked stream of colour for, is stretched to that, with a note.
//! Written as `mono` in full range, `444` or `420jpeg` in video range, 8 bits, with that tag.
//! *Limits*: interlaced frames are taken as they are, with a warning; pixel aspect is left alone: pictures count in
//! pixels.

mod reader;
mod writer;

use crate::content::ContentKind;
use crate::format::{Format, FormatPrecision, Reader};
pub(crate) use reader::open;
pub(crate) use writer::write_to_pipe;

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Sequence],
    precision: FormatPrecision::Lossy,
    write_video: Some(writer::create),
    ..Format::picture("y4m", "Y4M", &["y4m"], Reader::Frames(open))
};
