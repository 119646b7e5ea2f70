//! Flow, disparity and features of a picture in 63 bits a pixel.
//!
//! *Paper*: K. Pauwels, M. Tomasi, J. Díaz, E. Ros, M. M. Van Hulle, "A Comparison of FPGA and GPU for Real-Time Phase-Based
//! Optical Flow, Stereo, and Local Image Features", IEEE Trans. Computers 61 (2012), doi:10.1109/TC.2011.120, section 6.2.3:
//! 12 bits for disparity, 24 for flow, 9 each for magnitude, orientation and phase. The paper does not say in which order.
//!
//! *Specification*: this page. The head is one line of JSON,
//! `{"packed": 63, "width": 640, "height": 480, "fields": ["flow", "disparity", "features"], "white": 255.0}`, of which `fields`
//! lists what is there and `white` is what white is in the picture. Then 8 bytes a pixel follow, x fastest, each a little-endian
//! whole number:
//!
//! | bits | what | number of the code c |
//! |---|---|---|
//! | 0 to 11 | disparity | signed; c / 16 px; −2048: unknown |
//! | 12 to 23 | flow, u | signed; c / 16 px; −2048: unknown |
//! | 24 to 35 | flow, v | the same |
//! | 36 to 44 | magnitude: the energy of the filters | c · white² / 1024; 511: unknown |
//! | 45 to 53 | orientation | c · π / 512, in [0, π) |
//! | 54 to 62 | phase | signed; c · π / 256, in [−π, π) |
//! | 63 | 1 where orientation and phase are unknown | a core of 63 bits sends 0 |
//!
//! The steps are those of the fixed point of the phase-based method (`arithmetic = fixed`), whose numbers pass through unchanged
//! but for those at the ends of a range. What is not in `fields` has the code for *unknown*.
//!
//! *Limits*: pictures; flow and disparity from −127.9375 to 127.9375 px, energies up to 510 / 1024 of white²: what lies beyond is
//! written as the nearest end, with a warning. A file is read as its flow, else its disparity, else its magnitude; as a disparity
//! where one is asked for.

mod codes;
mod reader;
mod writer;

use crate::content::ContentKind;
use crate::format::{Format, FormatPrecision, Reader};
pub use writer::{PackedFields, write_packed};

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Image, ContentKind::Flow],
    precision: FormatPrecision::Whole,
    read_disparity: Some(reader::disparity),
    ..Format::picture("packed-63", "63 bits a pixel", &["p63"], Reader::Whole(reader::read))
};
