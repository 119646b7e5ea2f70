//! Compressed pixels, looked through before they are decoded: decoders make room for whatever size a stream declares.
//!
//! *Specification*: ISO/IEC 10918-1, annex B, for the frame header; DICOM PS3.5, section 10.20, for deflated frames.

use super::run_lengths;
use dicom_dictionary_std::uids::{DEFLATED_IMAGE_FRAME_COMPRESSION, RLE_LOSSLESS};
use dicom_dictionary_std::{tags, uids};
use dicom_object::{DefaultDicomObject, Tag};
use flate2::read::DeflateDecoder;
use std::io::Read;

const JPEG: [&str; 4] =
    [uids::JPEG_BASELINE8_BIT, uids::JPEG_EXTENDED12_BIT, uids::JPEG_LOSSLESS, uids::JPEG_LOSSLESS_SV1];

/// Bytes that may be looked at beside twice those of all streams.
const MORE_BYTES: usize = 1 << 16;

/// The shape of a plane, as the elements state it.
#[derive(Debug, Clone, Copy)]
pub(in crate::dicom) struct Shape {
    pub size: [usize; 2],
    pub channels: usize,
    /// Bits of a sample.
    pub bits: usize,
}

impl Shape {
    pub fn of(object: &DefaultDicomObject, size: [usize; 2]) -> Self {
        let word = |tag: Tag, otherwise: u16| {
            let element = object.get(tag);
            usize::from(element.and_then(|e| e.to_int::<u16>().ok()).unwrap_or(otherwise))
        };
        Self { size, channels: word(tags::SAMPLES_PER_PIXEL, 1), bits: word(tags::BITS_ALLOCATED, 16) }
    }

    pub fn pixels(self) -> usize {
        self.size[0] * self.size[1]
    }

    fn bytes(self) -> usize {
        self.pixels() * self.channels * self.bits.div_ceil(8)
    }
}

/// A sentence if a frame's run lengths or deflated bytes cannot be decoded into this shape; `None` for other frames.
pub(super) fn fault(object: &DefaultDicomObject, frame: u32, shape: Shape) -> Option<String> {
    let syntax = object.meta().transfer_syntax();
    if syntax != RLE_LOSSLESS && syntax != DEFLATED_IMAGE_FRAME_COMPRESSION {
        return None;
    }
    // What is not in fragments would be decoded all the same.
    let element = object.get(tags::PIXEL_DATA);
    let Some(fragments) = element.and_then(|e| e.value().fragments()) else {
        return Some("compressed pixels without fragments".to_owned());
    };
    let fragment = fragments.get(frame as usize);
    if syntax == RLE_LOSSLESS {
        return match fragment {
            Some(fragment) => run_lengths::fault_of(fragment, shape.pixels()),
            None => Some(format!("no run lengths of frame {frame}")),
        };
    }
    let limit = shape.bytes() as u64 + 2;
    let mut inflated = DeflateDecoder::new(&fragment?[..]).take(limit);
    let is_more = std::io::copy(&mut inflated, &mut std::io::sink()).is_ok_and(|count| count == limit);
    is_more.then(|| format!("more than {} bytes deflated in frame {frame}", shape.bytes()))
}

/// A sentence if one of a file's JPEG streams cannot be decoded into this shape; `None` where there are no such streams.
pub(super) fn jpeg_fault(object: &DefaultDicomObject, shape: Shape) -> Option<String> {
    if !JPEG.contains(&object.meta().transfer_syntax()) {
        return None;
    }
    let Some(fragments) = object.get(tags::PIXEL_DATA).and_then(|e| e.value().fragments()) else {
        return Some("compressed pixels without fragments".to_owned());
    };
    // A frame may go on in the next fragments; where it begins, a fragment does.
    let starts = (0..fragments.len()).filter(|&nth| fragments[nth].starts_with(&[0xff, 0xd8]));
    // A stream has its frame's header before the next stream begins: together they are looked through once.
    let mut left = 2 * fragments.iter().map(Vec::len).sum::<usize>() + MORE_BYTES;
    for nth in starts {
        let counted = |_: &u8| left = left.saturating_sub(1);
        let mut stream = fragments[nth..].iter().flatten().copied().inspect(counted);
        let fault = stream_fault(&mut stream, shape);
        if fault.is_some() {
            return fault;
        }
        if left == 0 {
            return Some("JPEG streams without frames".to_owned());
        }
    }
    None
}

/// A sentence if the frame of a JPEG stream is not of this shape; broken headers are the decoder's to tell.
fn stream_fault(stream: &mut impl Iterator<Item = u8>, shape: Shape) -> Option<String> {
    let pair = |stream: &mut dyn Iterator<Item = u8>| -> Option<usize> {
        Some(usize::from(u16::from_be_bytes([stream.next()?, stream.next()?])))
    };
    loop {
        // As the decoder does: over anything to the next marker.
        while stream.next()? != 0xff {}
        let mut marker = stream.next()?;
        while marker == 0xff {
            marker = stream.next()?;
        }
        match marker {
            0x00 | 0x01 | 0xd0..=0xd9 => continue,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => break,
            _ => {
                let length = pair(stream)?;
                // Zero bytes of content are none to go over.
                if let Some(last) = length.checked_sub(3) {
                    stream.nth(last)?;
                }
            }
        }
    }
    pair(stream)?;
    let bits = usize::from(stream.next()?);
    let (height, width, channels) = (pair(stream)?, pair(stream)?, usize::from(stream.next()?));
    let is_as_said = [width, height] == shape.size && channels == shape.channels && bits <= shape.bits;
    (!is_as_said).then(|| {
        let [w, h] = shape.size;
        format!(
            "a JPEG stream of {width} × {height} pixels with {channels} × {bits} bits, where the header says {w} × {h} with {} × {}",
            shape.channels, shape.bits
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_of_a_stream_must_be_of_the_shape_that_the_header_tells() {
        let shape = Shape { size: [4, 3], channels: 1, bits: 16 };
        let whole =
            [0xff, 0xd8, 0xff, 0xe0, 0, 4, 7, 7, 0xff, 0xff, 0xc3, 0, 11, 12, 0, 3, 0, 4, 1, 1, 0x11, 0];
        assert_eq!(stream_fault(&mut whole.into_iter(), shape), None);
        for (at, value) in [(13, 17), (14, 1), (15, 4), (16, 255), (17, 3), (18, 3)] {
            let mut changed = whole;
            changed[at] = value;
            assert!(stream_fault(&mut changed.into_iter(), shape).is_some(), "{at}");
        }
        // No frame at all is the decoder's to tell.
        assert_eq!(stream_fault(&mut whole[..10].iter().copied(), shape), None);
    }
}
