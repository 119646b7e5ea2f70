//! Raw frames behind one line of JSON: pictures or volumes as a program sends them through a pipe, frame by frame.
//!
//! *Specification*: this page. The head is one line of UTF-8 that ends with a line feed, at most 65,536 bytes long, a JSON object:
//!
//! | key | value | without it |
//! |---|---|---|
//! | `shape` | `[y, x]` of pictures or `[z, y, x]` of volumes, as NumPy's `shape` | refused |
//! | `dtype` | `uint8`, `int8`, `uint16`, `int16`, `uint32`, `int32`, `float32`, `float64` (little-endian), or NumPy's `dtype.str`: `\|u1`, `<f4`, `>i2` | refused |
//! | `spacing_mm` | distances of samples along `[x, y, z]`, millimetres (`[x, y]` of pictures) | 1 each |
//! | `origin_mm` | where the first voxel lies, `[x, y, z]` in LPS millimetres | 0 each |
//! | `direction` | three rows; column `a` is the world's direction of axis `a` | the world's axes |
//! | `interval_ms` | time from frame to frame, milliseconds | unknown |
//! | `frames` | how many frames follow | as many as come |
//!
//! Then every frame follows without anything in between: its samples, x fastest, then y, then z. The stream ends after a frame, or after
//! the last of so many as the head says.
//!
//! ```text
//! {"shape": [128, 128, 128], "dtype": "<f4", "spacing_mm": [0.7, 0.7, 0.7], "interval_ms": 20}
//! ```
//!
//! *Limits*: no compression, no colour; keys that are not listed are left out with a warning.

mod head;
mod reader;
mod writer;

use crate::content::ContentKind;
use crate::format::{Format, FormatPrecision, Reader, VOLUME_LIMITS};
use crate::write::record::Record;
pub(crate) use reader::{FIRST_BYTE, open};

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Image, ContentKind::Sequence],
    precision: FormatPrecision::Float,
    keeps_place: true,
    limits: VOLUME_LIMITS,
    write_image: Some(|target, image, _| writer::write(target, &Record::image(image))),
    write_labels: Some(|target, labels| writer::write(target, &Record::labels(labels))),
    write_sequence: Some(|target, sequence| writer::write(target, &Record::sequence(sequence))),
    ..Format::picture("raw-frames", "raw frames", &["frames"], Reader::Frames(open))
};
