//! Pixels that lie in a file as they are: the bytes of one frame, with the low byte of each sample first.
//!
//! *Specification*: DICOM PS3.5, chapter 8 and annex A; PS3.3, section C.7.6.3.1.2 for colours of which two pixels share some.

use super::codestreams::Shape;
use dicom_core::PrimitiveValue;
use dicom_dictionary_std::{tags, uids};
use dicom_object::DefaultDicomObject;
use std::borrow::Cow;

/// Retired, and in files all the same.
const BIG_ENDIAN: &str = "1.2.840.10008.1.2.2";

/// The bytes of a frame.
pub(super) struct Native<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// Where the frame begins, in bits of a byte.
    pub first_bit: usize,
}

/// Bits that a pixel takes in a frame.
fn pixel_bits(shape: Shape, is_halved: bool) -> usize {
    if is_halved { 2 * shape.bits } else { shape.channels * shape.bits }
}

/// How many bytes follow the pixels of so many frames, beside the one that makes their number even; none of compressed pixels.
pub(super) fn behind(object: &DefaultDicomObject, frames: u32, shape: Shape, is_halved: bool) -> usize {
    let value = object.get(tags::PIXEL_DATA).and_then(|element| element.value().primitive());
    let length = value.map_or(0, PrimitiveValue::calculate_byte_len);
    let bits = (frames as usize).saturating_mul(shape.pixels()).saturating_mul(pixel_bits(shape, is_halved));
    let needed = bits.div_ceil(8);
    length.saturating_sub(needed + needed % 2)
}

/// The bytes of one frame; `is_halved` where two pixels share their colour. None if the file compresses its pixels or has fewer.
pub(super) fn frame(
    object: &DefaultDicomObject,
    nth: u32,
    shape: Shape,
    is_halved: bool,
) -> Option<Native<'_>> {
    let value = object.get(tags::PIXEL_DATA)?.value().primitive()?;
    let bits = shape.pixels() * pixel_bits(shape, is_halved);
    let begin = nth as usize * bits;
    let (first, end) = (begin / 8, (begin + bits).div_ceil(8));
    let is_swapped = object.meta().transfer_syntax() == BIG_ENDIAN;
    let bytes = match value {
        PrimitiveValue::U8(bytes) => {
            let bytes = bytes.get(first..end)?;
            let count = shape.bits / 8;
            match count {
                2 | 4 if is_swapped => Cow::Owned(
                    bytes.chunks_exact(count).flat_map(|sample| sample.iter().rev().copied()).collect(),
                ),
                _ => Cow::Borrowed(bytes),
            }
        }
        PrimitiveValue::U16(words) => {
            let words = words.get(first / 2..end.div_ceil(2))?;
            let mut bytes: Vec<u8> = match shape.bits {
                // The word that comes first is the high one.
                32 if is_swapped => words
                    .chunks_exact(2)
                    .flat_map(|two| [two[1], two[0]])
                    .flat_map(u16::to_le_bytes)
                    .collect(),
                _ => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            };
            bytes.drain(..first % 2);
            bytes.truncate(end - first);
            Cow::Owned(bytes)
        }
        PrimitiveValue::U32(words) => {
            let words = words.get(first / 4..end.div_ceil(4))?;
            Cow::Owned(words.iter().flat_map(|word| word.to_le_bytes()).collect())
        }
        _ => return None,
    };
    (bytes.len() >= end - first).then_some(Native { bytes, first_bit: begin % 8 })
}

/// The samples of a frame of floats; none where the file has other pixels.
pub(super) fn floats(
    object: &DefaultDicomObject,
    nth: u32,
    pixels: usize,
) -> Option<Result<Vec<f64>, String>> {
    let element = object.get(tags::FLOAT_PIXEL_DATA).or_else(|| object.get(tags::DOUBLE_FLOAT_PIXEL_DATA))?;
    let begin = nth as usize * pixels;
    let (found, samples): (usize, Option<Vec<f64>>) = match element.value().primitive() {
        Some(PrimitiveValue::F32(all)) => {
            (all.len(), all.get(begin..begin + pixels).map(|s| s.iter().map(|v| f64::from(*v)).collect()))
        }
        Some(PrimitiveValue::F64(all)) => (all.len(), all.get(begin..begin + pixels).map(<[f64]>::to_vec)),
        _ => (0, None),
    };
    Some(
        samples.ok_or_else(|| {
            format!("{found} floats, where frame {nth} needs {} to {}", begin, begin + pixels)
        }),
    )
}

/// What decoders leave the colours of as they are stored.
const KEEPING_COLOURS: [&str; 4] = [
    uids::RLE_LOSSLESS,
    uids::DEFLATED_IMAGE_FRAME_COMPRESSION,
    uids::JPEG_LOSSLESS,
    uids::JPEG_LOSSLESS_SV1,
];

/// Whether a decoder leaves colours as they are stored: run lengths, deflated bytes, lossless JPEG.
pub(super) fn keeps_colours(object: &DefaultDicomObject) -> bool {
    KEEPING_COLOURS.contains(&object.meta().transfer_syntax())
}
